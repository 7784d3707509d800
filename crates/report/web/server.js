// Requests to the local server, and questions to its user.

import { el, prose } from "./dom.js";

/** @type {{ token: string, nonce: string, looks: import("./data.js").Look[] }} */
export const given = JSON.parse(document.getElementById("data")?.textContent ?? "null");

/** An error response of the server. */
export class Refused extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Sends a request to the server: a GET, or a POST if there is a body. An error response becomes a `Refused`.
 * @param {string} path
 * @param {unknown} [body]
 * @param {{ method?: string, signal?: AbortSignal }} [options]
 */
export async function request(path, body, options = {}) {
  const headers = { "x-arcbatt-token": given.token, "content-type": "application/json" };
  const method = options.method ?? (body === undefined ? "GET" : "POST");
  const response = await fetch(path, { method, headers, body: body === undefined ? null : JSON.stringify(body), signal: options.signal ?? null });
  const answer = await response.json();
  if (!response.ok) throw new Refused(response.status, answer.error ?? response.statusText);
  return answer;
}

/** Returns a link that contains the token. @param {string} path */
export function withToken(path) {
  return `${path}?token=${encodeURIComponent(given.token)}`;
}

/**
 * Joins the parts of an address, each of which may contain anything.
 * @param {string[]} parts
 */
export function address(...parts) {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/**
 * Asks a question and returns whether the answer is yes.
 * @param {string} question
 * @param {string} yes the label of the button
 * @returns {Promise<boolean>}
 */
export async function ask(question, yes) {
  return (await dialog(question, yes, null)) !== null;
}

/**
 * Asks for a text. Returns null if the user gives none.
 * @param {string} question
 * @param {string} yes the label of the button
 * @param {string} value the text to begin with
 * @returns {Promise<string | null>}
 */
export async function askText(question, yes, value) {
  const input = el("input", { value, maxlength: 80, "aria-label": question, autocomplete: "off" });
  return dialog(question, yes, input);
}

/**
 * @param {string} question
 * @param {string} yes
 * @param {HTMLInputElement | null} input
 * @returns {Promise<string | null>}
 */
function dialog(question, yes, input) {
  const form = el("form", { method: "dialog", class: "dialog-form" }, el("p", {}, ...prose(question)), input,
    el("p", { class: "buttons" }, el("button", { value: "yes", class: "primary" }, yes), el("button", { value: "no", formnovalidate: true }, "Cancel")));
  const box = el("dialog", { class: "dialog", "aria-label": question }, form);
  document.body.append(box);
  return new Promise((resolve) => {
    box.addEventListener("close", () => {
      box.remove();
      resolve(box.returnValue === "yes" ? (input?.value ?? "") : null);
    });
    box.showModal();
    input?.select();
  });
}

/**
 * Shows a time of the server as a date of this place.
 * @param {number} milliseconds
 */
export function date(milliseconds) {
  const time = new Date(milliseconds);
  return el("time", { datetime: time.toISOString(), title: time.toLocaleString() }, time.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" }));
}
