// A long list that has only its visible items in the page.

import { el } from "./dom.js";

/**
 * @typedef {{ element: HTMLElement, show: (n: number) => void, remeasure: () => void, focus: (i: number) => void, stop: () => void }} LongList
 */

/**
 * Creates a list of items of one height, in as many columns as fit. `make` creates the i-th item.
 * @param {{ label: string, height: number, width: number, make: (i: number) => HTMLElement }} options
 * @returns {LongList}
 */
export function longList({ label, height, width, make }) {
  const element = el("div", { class: "long", role: "list", "aria-label": label });
  /** @type {Map<number, HTMLElement>} */
  const items = new Map();
  let n = 0;
  let columns = 1;
  let printing = false;
  let frame = 0;

  /** Top of the list on the page. Measured only when it may have changed, not while scrolling. */
  let begin = 0;

  function measure() {
    const columnsNow = width === 0 ? 1 : Math.max(1, Math.floor(element.clientWidth / width));
    if (columnsNow !== columns) clear();
    columns = columnsNow;
    element.style.height = `${Math.ceil(n / columns) * height}px`;
    begin = element.getBoundingClientRect().top + window.scrollY;
    place();
  }
  function place() {
    frame = 0;
    const top = begin - window.scrollY;
    const first = Math.max(0, Math.floor(-top / height) - 1) * columns;
    const last = Math.min(n, (Math.ceil((window.innerHeight - top) / height) + 1) * columns);
    const [from, to] = printing ? [0, Math.min(n, MAX_PRINTED)] : [first, last];
    for (const [i, item] of items) {
      if (i < from || i >= to) {
        // Keep an item that has the focus.
        if (item.contains(document.activeElement)) continue;
        item.remove();
        items.delete(i);
      }
    }
    const fresh = document.createDocumentFragment();
    for (let i = from; i < to; i++) {
      if (items.has(i)) continue;
      const item = make(i);
      item.setAttribute("role", "listitem");
      item.setAttribute("aria-posinset", String(i + 1));
      item.setAttribute("aria-setsize", String(n));
      item.style.top = `${Math.floor(i / columns) * height}px`;
      item.style.height = `${height}px`;
      item.style.left = `${((i % columns) * 100) / columns}%`;
      item.style.width = `${100 / columns}%`;
      items.set(i, item);
      fresh.append(item);
    }
    element.append(fresh);
  }
  function clear() {
    items.clear();
    element.replaceChildren();
  }
  function schedule() {
    if (frame === 0) frame = requestAnimationFrame(place);
  }
  const print = (/** @type {boolean} */ on) => () => {
    printing = on;
    place();
  };
  const [before, after] = [print(true), print(false)];
  window.addEventListener("scroll", schedule, { passive: true });
  window.addEventListener("resize", measure);
  window.addEventListener("beforeprint", before);
  window.addEventListener("afterprint", after);
  return {
    element,
    show(count) {
      n = count;
      clear();
      measure();
    },
    remeasure: measure,
    focus(i) {
      const [top, bottom] = [begin + Math.floor(i / columns) * height, begin + (Math.floor(i / columns) + 1) * height];
      // The bar at the top covers part of the window.
      const from = window.scrollY + (document.querySelector(".bar")?.getBoundingClientRect().height ?? 0) + 8;
      if (top < from) window.scrollBy(0, top - from);
      else if (bottom > window.scrollY + window.innerHeight) window.scrollBy(0, bottom - window.scrollY - window.innerHeight);
      place();
      const link = items.get(i)?.querySelector("a");
      if (link instanceof HTMLElement) link.focus({ preventScroll: true });
    },
    stop() {
      window.removeEventListener("scroll", schedule);
      window.removeEventListener("resize", measure);
      window.removeEventListener("beforeprint", before);
      window.removeEventListener("afterprint", after);
      cancelAnimationFrame(frame);
    },
  };
}

/** Maximum number of printed items. */
const MAX_PRINTED = 400;
