// What every page does with a script; none of it is needed to read a page.
for (const chooser of document.querySelectorAll("select[data-submits]")) {
  chooser.addEventListener("change", () => chooser.form.requestSubmit());
  chooser.form.querySelector("button[type=submit]")?.setAttribute("hidden", "");
}
