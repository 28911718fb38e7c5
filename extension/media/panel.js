// The page's own part: clicks and keys become messages that carry indexes only; answers are written as text.
(() => {
  const vscode = acquireVsCodeApi();
  const live = document.getElementById("live");

  function act(element) {
    const { act: name, incident, index } = element.dataset;
    vscode.postMessage({ act: name, incident: Number(incident ?? -1), index: Number(index ?? -1) });
  }

  document.addEventListener("click", (event) => {
    const element = event.target.closest?.("[data-act]");
    if (element) {
      act(element);
    }
  });

  // In the picture the arrow keys move from mark to mark, Enter and the space bar open its line.
  document.addEventListener("keydown", (event) => {
    const mark = event.target.closest?.(".mark");
    if (!mark) {
      return;
    }
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      act(mark);
      return;
    }
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const marks = [...document.querySelectorAll(".mark")];
      marks.sort((a, b) => Number(a.dataset.index) - Number(b.dataset.index));
      const next = marks[(marks.indexOf(mark) + step + marks.length) % marks.length];
      for (const one of marks) {
        one.setAttribute("tabindex", one === next ? "0" : "-1");
      }
      next.focus();
      next.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  });

  window.addEventListener("message", ({ data }) => {
    if (data.type === "result") {
      const place = document.querySelector(`[data-result="verify-${data.incident}-${data.index}"]`);
      if (place) {
        place.className = `result ${data.state}`;
        place.textContent = data.text;
      }
    } else if (data.type === "edits") {
      const place = document.querySelector(`.edits[data-incident="${data.incident}"]`);
      place?.replaceChildren(
        ...data.titles.map((title, index) => {
          const button = document.createElement("button");
          button.className = "primary";
          button.textContent = `Apply: ${title}`;
          Object.assign(button.dataset, { act: "apply", incident: String(data.incident), index: String(index) });
          return button;
        }),
      );
    } else if (data.type === "said" && live) {
      live.textContent = data.text;
    }
  });

  vscode.postMessage({ act: "ready", incident: -1, index: -1 });
})();
