// What happens in matches under way, by server-sent events. A stream goes on where it was: after a break, after an answer
// that was none of it (a proxy whose service is away), and after its tab was hidden. A hidden tab holds no connection, for
// a browser has six to one host, and further tabs would wait for ever.
const FIRST_MS = 2000;
const MOST_MS = 60000;

// `address` are the parameters of /live; `handlers` take the events by kind, and `error` whether it is tried again later.
export function follow(address, handlers) {
  const { error, ...kinds } = handlers;
  let source = null;
  let place = null;
  let timer = 0;
  let waitMs = FIRST_MS;
  let isOver = false;

  function open() {
    if (isOver || source || document.hidden) return;
    clearTimeout(timer);
    const asked = new URLSearchParams(address);
    if (place !== null) asked.delete("after");
    for (const one of place?.split(";") ?? []) asked.append("after", one);
    source = new EventSource(`/live?${asked}`);
    for (const [kind, act] of Object.entries(kinds)) source.addEventListener(kind, (event) => take(kind, event, act));
    source.addEventListener("error", fail);
  }

  function take(kind, event, act) {
    if (kind === "story" || kind === "more") waitMs = FIRST_MS;
    if (event.lastEventId) place = event.lastEventId;
    act(event);
  }

  function fail() {
    error?.();
    if (source?.readyState !== EventSource.CLOSED) return; // the browser itself tries again
    later();
  }

  function later() {
    pause();
    timer = setTimeout(open, waitMs);
    waitMs = Math.min(2 * waitMs, MOST_MS);
  }

  function pause() {
    clearTimeout(timer);
    source?.close();
    source = null;
  }

  document.addEventListener("visibilitychange", () => (document.hidden ? pause() : open()));
  open();
  return {
    later,
    close() {
      isOver = true;
      pause();
    },
  };
}
