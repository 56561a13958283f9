import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT, type Page } from './page.js';

/** @returns the links of a page to files or headings that are not there */
export function findBrokenLinks({ path, text }: Page): string[] {
  const prose = text.replaceAll(/^\s*```[^]*?^\s*```$/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [file = '', heading] = target.split('#');
    const whole = file === '' ? join(ROOT, path) : join(ROOT, dirname(path), file);
    if (!existsSync(whole)) return [`${path}: ${target} is not there`];
    if (heading === undefined || !statSync(whole).isFile()) return [];
    return anchorsOf(readFileSync(whole, 'utf8')).has(heading)
      ? []
      : [`${path}: ${target} has no such heading`];
  });
}

function anchorsOf(text: string): Set<string> {
  return new Set(
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(/\s/g, '-'),
    ),
  );
}
