// What the console says of change tracking. A delta covers every change up to a watermark, and a watermark is taken when no write
// transaction is under way: a long one holds it back, and with it every delta, without losing anything.

const seconds = (milliseconds) => (milliseconds < 2000 ? `${milliseconds} milliseconds` : `${Math.round(milliseconds / 1000)} seconds`);

/** inTime is said when the watermark came. */
export function inTime(version, waited) {
  const covers = `A delta pulled now covers every change up to version ${Number(version).toLocaleString('en')}.`;
  if (waited < 2000) return `Change tracking is up to date. ${covers} The service took ${seconds(waited)} to say so.`;
  return `Change tracking was held back for ${seconds(waited)} by a write transaction, which has ended. ${covers}`;
}

/** heldBack is said while the watermark is waited for. */
export function heldBack(waited) {
  return `Change tracking is held back: a write transaction has been under way for at least ${seconds(
    waited
  )}. Deltas wait until it ends; nothing is lost.`;
}

/** tooLong is said when the console has waited enough. */
export function tooLong(waited) {
  return `Change tracking is held back: a write transaction has been under way for more than ${seconds(
    waited
  )}. Deltas come when it has ended; nothing is lost. Ask again later.`;
}
