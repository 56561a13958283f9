/** Whether a key is part of a text that is written, or of a shortcut of the browser. */
export function isTyping(event: KeyboardEvent): boolean {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      /^(?:input|textarea|select)$/i.test(target.tagName) ||
      target.shadowRoot !== null)
  );
}
