// Walking through the pages of a question, one page in memory at a time.

const MOST_STEPS = 1000; // places remembered for the way back

/** Pages knows the place that is shown, those before it, and the address of the next one. A place is an address and the number of its first row. */
export class Pages {
  constructor(address) {
    this.here = { address, from: 1 };
    this.before = [];
    this.next = null;
  }

  /** arrived tells how many rows the page here has, and the address of the next one, or null. */
  arrived(rows, next) {
    this.rows = rows;
    this.next = next;
  }

  forward() {
    this.before.push(this.here);
    if (this.before.length > MOST_STEPS) this.before.shift();
    this.here = { address: this.next, from: this.here.from + this.rows };
  }

  back() {
    this.here = this.before.pop();
  }

  /** place says where the page is among all rows, whose number may not be known. */
  place(count) {
    const { from } = this.here;
    if (this.rows === 0) return from === 1 ? 'No rows' : 'No more rows';
    const rows = this.rows === 1 ? `Row ${number(from)}` : `Rows ${number(from)}–${number(from + this.rows - 1)}`;
    return count === undefined || count === null ? rows : `${rows} of ${number(count)}`;
  }
}

const number = (n) => n.toLocaleString('en');
