// Fetches the body again and again; what the reader has opened or scrolled stays so.
"use strict";
(() => {
  const live = document.getElementById("live");
  const every = 1000 * Number(document.body.dataset.seconds || 2);
  const from = document.body.dataset.from;

  const keep = () => ({
    open: [...live.querySelectorAll("details[open]")].map((each) => each.id),
    left: [...live.querySelectorAll(".wide")].map((each) => each.scrollLeft),
  });

  const restore = (kept) => {
    kept.open.forEach((id) => document.getElementById(id)?.setAttribute("open", ""));
    live.querySelectorAll(".wide").forEach((each, i) => { each.scrollLeft = kept.left[i] || 0; });
  };

  const refresh = async () => {
    if (!document.hidden && !String(getSelection())) {
      try {
        const answer = await fetch(from + location.search, { cache: "no-store" });
        if (!answer.ok) throw new Error(answer.status);
        const text = await answer.text();
        const kept = keep();
        live.innerHTML = text;
        restore(kept);
        document.body.classList.remove("lost");
      } catch {
        document.body.classList.add("lost");
      }
    }
    setTimeout(refresh, every);
  };
  setTimeout(refresh, every);
})();
