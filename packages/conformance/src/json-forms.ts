/** A JSON text of every form, most of which no route wants as its body. */
export const JSON_FORMS: readonly string[] = [
  'null',
  'true',
  '0',
  '-1.5e300',
  '""',
  '"text"',
  '[]',
  '[null]',
  '[[]]',
  '[1, "a", null, {}]',
  '{"": null}',
];
