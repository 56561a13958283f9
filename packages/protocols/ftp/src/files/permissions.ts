/** The mode of a file without `permissions`, and of one that was uploaded. */
export const DEFAULT_MODE = 0o644;
/** The mode of every directory. */
export const DIRECTORY_MODE = 0o755;

const OWNER_READ = 0o400;
const OWNER_WRITE = 0o200;
const LETTERS = 'rwxrwxrwx';

/** Reads `644`, `0644`, `rw-r--r--` or `-rw-r--r--`; `undefined` when it is none of them. */
export function parseMode(text: string): number | undefined {
  if (/^0?[0-7]{3}$/.test(text)) return Number.parseInt(text, 8);
  if (!/^-?(?:[r-][w-][x-]){3}$/.test(text)) return undefined;
  return [...text.slice(-9)].reduce((mode, letter) => mode * 2 + (letter === '-' ? 0 : 1), 0);
}

/** The nine letters of a listing: `rw-r--r--`. */
export function formatMode(mode: number): string {
  return [...LETTERS].map((letter, place) => ((mode >> (8 - place)) & 1 ? letter : '-')).join('');
}

/** Whether the owner, who everybody is here, may read. */
export function isReadable(mode: number): boolean {
  return (mode & OWNER_READ) !== 0;
}

/** Whether the owner, who everybody is here, may write. */
export function isWritable(mode: number): boolean {
  return (mode & OWNER_WRITE) !== 0;
}
