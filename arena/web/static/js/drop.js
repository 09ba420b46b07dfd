// A form that takes a file dropped anywhere on it; without a script its button chooses one.
for (const form of document.querySelectorAll("form[data-drop]")) {
  const input = form.querySelector("input[type=file]");
  const button = form.querySelector("button[type=submit]");
  const named = button.textContent;
  const over = (event, isOver) => {
    event.preventDefault();
    form.classList.toggle("over", isOver);
  };
  // What is too large is told before it is sent: a server that refuses it breaks off, and a browser shows only that.
  const check = () => {
    const isTooLarge = form.dataset.most && input.files[0]?.size > form.dataset.most * 2 ** 20;
    input.setCustomValidity(isTooLarge ? form.dataset.tooLarge : "");
    if (isTooLarge) input.reportValidity();
  };
  form.addEventListener("dragover", (event) => over(event, true));
  form.addEventListener("dragleave", (event) => over(event, false));
  form.addEventListener("drop", (event) => {
    over(event, false);
    if (!event.dataTransfer.files.length) return;
    input.files = event.dataTransfer.files;
    check();
  });
  input.addEventListener("change", check);
  form.addEventListener("submit", () => {
    button.disabled = true;
    button.textContent = form.dataset.sending;
  });
  window.addEventListener("pageshow", () => {
    button.disabled = false;
    button.textContent = named;
  });
}
