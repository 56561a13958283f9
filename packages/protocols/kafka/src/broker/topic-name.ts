const MAX_LENGTH = 249;
const LEGAL = /^[a-zA-Z0-9._-]+$/;

/** What is wrong with the name of a topic; `undefined` for a good one. */
export function problemOfTopicName(name: string): string | undefined {
  const isGood = LEGAL.test(name) && name.length <= MAX_LENGTH && name !== '.' && name !== '..';
  if (isGood) return undefined;
  const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}...` : name);
  return `${shown} is not the name of a topic; use 1 to ${MAX_LENGTH} of the characters a-z A-Z 0-9 . _ -, and not "." or ".." alone`;
}
