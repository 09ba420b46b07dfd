// A form that takes a file dropped anywhere on it; without a script its button chooses one.
for (const form of document.querySelectorAll("form[data-drop]")) {
  const input = form.querySelector("input[type=file]");
  const over = (event, isOver) => {
    event.preventDefault();
    form.classList.toggle("over", isOver);
  };
  form.addEventListener("dragover", (event) => over(event, true));
  form.addEventListener("dragleave", (event) => over(event, false));
  form.addEventListener("drop", (event) => {
    over(event, false);
    if (event.dataTransfer.files.length) input.files = event.dataTransfer.files;
  });
}
