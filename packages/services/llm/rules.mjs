/**
 * The rule that is for a conversation: the first row whose `when` fits what was said last. `message` compares with the text
 * of the last message (`*` stands for anything, letters compare without case), `tool` with the name of the tool whose
 * result that is, `model` with the model.
 */
export function ruleFor(rows, { model, last }) {
  return rows.find(({ when = {} }) => {
    if (when.model !== undefined && !fits(when.model, model)) return false;
    if (when.tool !== undefined)
      return last.tool !== undefined && fits(when.tool, last.tool) && fitsText(when, last);
    return last.tool === undefined && fitsText(when, last);
  });
}

function fitsText({ message }, { text }) {
  return message === undefined || fits(message, text);
}

/** Whether a text is what a pattern says, from its beginning to its end; each `*` is found as early as can be. */
function fits(pattern, text) {
  const parts = String(pattern).toLowerCase().split('*');
  const given = String(text).toLowerCase();
  const [first, ...others] = parts;
  if (others.length === 0) return given === first;
  if (!given.startsWith(first)) return false;
  const end = others.pop();
  let at = first.length;
  for (const part of others) {
    const found = given.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return given.length - at >= end.length && given.endsWith(end);
}
