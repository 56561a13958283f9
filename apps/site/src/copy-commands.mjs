/**
 * The button of a block of commands copies the commands alone: not the `$` before them, nor what they print.
 *
 * @param {Document} page
 */
export function copyCommands(page) {
  page.addEventListener(
    'click',
    (event) => {
      const button = event.target instanceof Element ? event.target.closest('button.copy') : null;
      const block = button?.closest('.language-console');
      if (!button || !block) return;
      event.stopImmediatePropagation();
      const lines = (block.querySelector('pre')?.textContent ?? '').split(/\r?\n/);
      const commands = lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));
      void navigator.clipboard.writeText(commands.join('\n')).then(() => {
        button.classList.add('copied');
        setTimeout(() => button.classList.remove('copied'), 2000);
      });
    },
    { capture: true },
  );
}
