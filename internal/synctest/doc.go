// Package synctest proves that writes are whole and that synchronisation is exact: writers and readers work on running programs that are
// killed meanwhile, repeated requests are sent many times at once, and clocks are moved. It holds tests only.
package synctest
