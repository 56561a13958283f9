const LETTERS = 'acdlpsuwxz';

/** For each byte the classes of Lua's patterns it belongs to, a bit for each of `acdlpsuwxz`, as in the locale "C". */
const CLASSES = Uint16Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte);
  const holds = [
    /[A-Za-z]/,
    /[\x00-\x1f\x7f]/,
    /[0-9]/,
    /[a-z]/,
    /[!-/:-@[-`{-~]/,
    /[\t-\r ]/,
    /[A-Z]/,
    /[A-Za-z0-9]/,
    /[A-Fa-f0-9]/,
    /\x00/,
  ];
  return holds.reduce((bits, hold, index) => (hold.test(char) ? bits | (1 << index) : bits), 0);
});

/** For each byte behind a `%` the bit of the class it names; 0 where it stands for itself. */
const NAMED = Uint16Array.from({ length: 256 }, (_, byte) => {
  const index = LETTERS.indexOf(String.fromCharCode(byte).toLowerCase());
  return byte < 128 && index >= 0 ? 1 << index : 0;
});

/** Whether a byte is what `%` and another byte stand for (Lua 5.1 Reference Manual, section 5.4.1). */
export function isInClass(byte: number, name: number): boolean {
  const bit = NAMED[name] ?? 0;
  if (bit === 0) return byte === name;
  const isIn = ((CLASSES[byte] ?? 0) & bit) !== 0;
  // An upper-case letter is what is not in the class.
  return name < 97 ? !isIn : isIn;
}
