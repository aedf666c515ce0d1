// A page that waits for something asks again every few seconds, while somebody looks at it. Without this script its link
// does the same.
"use strict";
const waiting = document.querySelector("[data-again]");
if (waiting) {
  const seconds = Number(waiting.dataset.again) || 5;
  setInterval(() => {
    if (document.visibilityState === "visible") location.reload();
  }, seconds * 1000);
}
