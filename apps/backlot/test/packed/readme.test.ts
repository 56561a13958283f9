import { expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listInstalled } from '@backlot/tooling/packed';
import { listPages } from '../docs/page.js';
import { runPage } from '../docs/run-page.js';
import { makePlace, PACKED } from './place.js';

const README = listPages().find(({ path }) => path === 'README.md');
const TUTORIAL = listPages().find(({ path }) => path.endsWith('guides/tutorial.md'));
const exec = promisify(execFile);

/** Runs a line of README.md in an empty folder, as a project would. */
async function runLine(line: string, folder: string): Promise<string> {
  expect(README?.text.split('\n')).toContain(line);
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    TARBALLS: join(PACKED, 'tarballs'),
    npm_config_audit: 'false',
  };
  return (
    await exec('bash', ['-c', line], { cwd: folder, env: { ...env, npm_config_prefer_offline: 'true' } })
  ).stdout;
}

it('the packed command does what README.md shows', async () => {
  if (README === undefined) throw new Error('there is no README.md');
  expect(README.steps.length).toBeGreaterThan(0);
  expect((await runPage(README)).join('\n\n')).toBe('');
});

it('somebody new does every step of the tutorial with the packed command', async () => {
  if (TUTORIAL === undefined) throw new Error('there is no tutorial');
  const place = makePlace();
  const before = { HOME: process.env['HOME'], USERPROFILE: process.env['USERPROFILE'] };
  const lines: string[] = [];
  try {
    // A home in which nobody has ever run anything.
    for (const name of Object.keys(before)) process.env[name] = place.path;
    const differences = await runPage(TUTORIAL, ({ command }, milliseconds) => {
      lines.push(`${(milliseconds / 1000).toFixed(1).padStart(6)} s  ${command.slice(0, 100)}`);
    });
    expect(differences.join('\n\n')).toBe('');
    expect(lines).toHaveLength(TUTORIAL.steps.length);
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    place.remove();
  }
  // See packages/tooling/scripts/tutorial.mjs.
  const times = process.env['BACKLOT_TUTORIAL_TIMES'];
  if (times !== undefined) writeFileSync(times, `${lines.join('\n')}\n`);
});

it('the tarballs are installed as README.md says, with no registry that knows them', async () => {
  const place = makePlace();
  try {
    place.write({ 'package.json': '{"private": true}' });
    await runLine('npm install -D $TARBALLS/backlot-{core,kit,redis}-*.tgz', place.path);
    expect(listInstalled(place.path).filter((name) => name.startsWith('@backlot/'))).toEqual([
      '@backlot/core',
      '@backlot/kit',
      '@backlot/redis',
    ]);
    await runLine('npm install -D $TARBALLS/backlot-*.tgz', place.path);
    expect(await runLine('npx backlot init', place.path)).toMatch(
      /^wrote backlot\.yaml and backlot\.schema\.json/,
    );
  } finally {
    place.remove();
  }
});
