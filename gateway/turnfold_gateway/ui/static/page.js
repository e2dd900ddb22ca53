// What the page does beyond links and forms, all of which work without it: markers open in place, and forms marked
// `data-live` show their result while somebody types or moves the slider.
"use strict";

const PAUSE_MILLISECONDS = 160;

async function fragmentOf(address, signal) {
  const url = new URL(address, location.href);
  url.searchParams.set("fragment", "1");
  const answer = await fetch(url, { signal, credentials: "same-origin" });
  // Every text in it was escaped where it was rendered; scripts that come this way never run.
  return new DOMParser().parseFromString(await answer.text(), "text/html").body;
}

function messageOf(words) {
  const message = document.createElement("div");
  message.className = "banner warn";
  message.setAttribute("role", "alert");
  message.textContent = words;
  return message;
}

// Markers

async function toggle(marker) {
  const opened = marker.nextElementSibling;
  if (opened && opened.classList.contains("opened")) {
    opened.remove();
    marker.setAttribute("aria-expanded", "false");
    return;
  }
  const panel = document.createElement("div");
  panel.className = "opened";
  panel.setAttribute("role", "region");
  panel.setAttribute("aria-label", "What " + marker.textContent + " stands for");
  panel.textContent = "Loading…";
  marker.after(panel);
  marker.setAttribute("aria-expanded", "true");
  try {
    panel.replaceChildren(...(await fragmentOf(marker.href)).childNodes);
  } catch {
    panel.replaceChildren(messageOf("The gateway did not answer: open the marker again."));
  }
}

document.addEventListener("click", (event) => {
  const marker = event.target.closest("a[data-open]");
  if (!marker || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  toggle(marker);
});

// Forms that show their result at once

function live(form) {
  const target = document.getElementById(form.dataset.live);
  let pause = 0;
  let running = null;

  async function show() {
    if (running) running.abort();
    running = new AbortController();
    const fields = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
    const address = form.action + "?" + fields;
    target.setAttribute("aria-busy", "true");
    try {
      const fragment = await fragmentOf(address, running.signal);
      target.replaceChildren(...fragment.childNodes);
      history.replaceState(null, "", address);
    } catch (error) {
      if (error.name === "AbortError") return;
      target.replaceChildren(messageOf("The gateway did not answer: change a field to try again."));
    }
    target.setAttribute("aria-busy", "false");
  }

  form.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(show, PAUSE_MILLISECONDS);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(pause);
    show();
  });
}

// A slider whose steps grow with the number: a budget of 300 needs finer ones than a budget of 30,000.
function slide(slider) {
  const number = document.getElementById(slider.dataset.sliderOf);
  const least = Math.log(slider.dataset.least);
  const most = Math.log(slider.dataset.most);
  const steps = Number(slider.max);

  function follow() {
    const value = Math.log(Math.max(1, Number(number.value) || 1));
    slider.value = Math.round(((value - least) / (most - least)) * steps);
    slider.setAttribute("aria-valuetext", number.value + " tokens");
  }

  slider.addEventListener("input", () => {
    const value = Math.exp(least + (Number(slider.value) / steps) * (most - least));
    const round = 10 ** Math.max(1, Math.floor(Math.log10(value)) - 1);
    number.value = Math.round(value / round) * round;
    slider.setAttribute("aria-valuetext", number.value + " tokens");
  });
  number.addEventListener("input", follow);
  follow();
  slider.hidden = false;
}

document.querySelectorAll("input[data-slider-of]").forEach(slide);
document.querySelectorAll("form[data-live]").forEach(live);
