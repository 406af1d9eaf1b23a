package securitytest
import "testing"
func TestSmoke(t *testing.T) { onBoth(t, func(t *testing.T, w *world) {
  for _, tb := range w.model.Tables {
    if tb.Hidden || tb.ReadOnly { continue }
    id := w.row(tb.Name)
    if c := w.change(tb); c != "" { w.admin.patch(tb.Set+"("+id+")", c).must(t, 204) } else {t.Log("nothing to change", tb.Name)}
    w.admin.get(tb.Set+"("+id+")").must(t,200)
    w.admin.delete(tb.Set+"("+id+")").must(t,204)
  }
})}
