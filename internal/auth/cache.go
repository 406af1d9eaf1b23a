package auth

import "sync"

// cache is a bounded map. It has two generations: when the young one is full it becomes the old one and the old one goes,
// so what was used lately stays.
type cache[K comparable, V any] struct {
	mu    sync.Mutex
	size  int // of one generation
	young map[K]V
	old   map[K]V
}

func newCache[K comparable, V any](size int) *cache[K, V] {
	return &cache[K, V]{size: size, young: map[K]V{}}
}

func (c *cache[K, V]) get(k K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.young[k]; ok {
		return v, true
	}
	v, ok := c.old[k]
	if ok {
		c.add(k, v)
	}
	return v, ok
}

func (c *cache[K, V]) put(k K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(k, v)
}

func (c *cache[K, V]) add(k K, v V) {
	if len(c.young) >= c.size {
		c.old, c.young = c.young, map[K]V{}
	}
	c.young[k] = v
}

func (c *cache[K, V]) remove(k K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.young, k)
	delete(c.old, k)
}
