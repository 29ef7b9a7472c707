// Copies the text of an element. Without this script the button is hidden, and the text can be selected.
for (const button of document.querySelectorAll("[data-copy]")) {
  const label = [...button.childNodes];
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy);
    let copied = true;
    try {
      await navigator.clipboard.writeText(text.textContent);
    } catch {
      // Without HTTPS there is no clipboard: copy a selection, which otherwise helps to copy by hand.
      getSelection().selectAllChildren(text);
      copied = document.execCommand("copy");
    }
    button.textContent = copied ? "Copied" : "Selected: copy it with your browser";
    setTimeout(() => { button.replaceChildren(...label); }, 3000);
  });
}
