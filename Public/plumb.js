// Pages are complete without this script. It shows the local time where somebody points at a time in UTC, and asks again
// for a page that waits for something.
"use strict";
const local = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const showLocal = (event) => {
  const time = event.target.closest?.("time[datetime]");
  if (!time || time.title) return;
  const moment = new Date(time.dateTime);
  if (!Number.isNaN(moment.getTime())) time.title = `${local.format(moment)}, local time`;
};
document.addEventListener("pointerover", showLocal, { passive: true });
document.addEventListener("focusin", showLocal);
const waiting = document.querySelector("[data-again]");
if (waiting) {
  const seconds = Number(waiting.dataset.again) || 5;
  setInterval(() => {
    if (document.visibilityState === "visible") location.reload();
  }, seconds * 1000);
}
