import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { mustRun, npmInstall } from './npm-install.mjs';

/** A kind that nothing of this repository is called. */
export const KIND = 'parrot';

/**
 * What the author of a protocol does first: `backlot new-protocol`, `npm install`, `npm test`; with the packages as they
 * would be published, and a core of its own.
 *
 * @param {string} folder where the package is made
 * @param {string} command the installed command
 * @param {Map<string, string>} tarballs by the name of their package
 */
export async function makePlugin(folder, command, tarballs) {
  const args = [command, 'new-protocol', KIND, '--folder', folder];
  await mustRun('backlot new-protocol', process.execPath, args, join(folder, '..'));
  const file = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  for (const name of Object.keys(manifest.devDependencies)) {
    const tarball = tarballs.get(name);
    if (tarball !== undefined) manifest.devDependencies[name] = `file:${tarball}`;
  }
  writeFileSync(file, JSON.stringify(manifest));
  await npmInstall(folder);
  await mustRun('npm test of the new protocol', 'npm', ['test'], folder);
}

/**
 * Mocks the new protocol through the management API, asks it as a client would, and looks at what was noted.
 *
 * @param {Record<string, string>} urls by kind
 */
export async function talkToPlugin(urls) {
  /**
   * @param {string} path
   * @param {object} [body]
   * @returns {Promise<any>}
   */
  const api = async (path, body) => {
    const options = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    return (await fetch(`${urls.api}${path}`, options)).json();
  };
  const { port } = new URL(urls[KIND] ?? '');
  const client = connect(Number(port), 'localhost').setEncoding('utf8');
  /** @param {string} line */
  const ask = async (line) => {
    client.write(`${line}\n`);
    return (await once(client, 'data'))[0];
  };
  try {
    await api(`/api/mocks/${KIND}`, { id: 'hello', match: 'hello *', response: '{{upper request.body}}!' });
    assert.equal(await ask('hello world'), 'HELLO WORLD!\n');
    const refused = await api(`/api/mocks/${KIND}`, { match: 're:(', response: '' });
    assert.equal(refused.details?.[0]?.path, '/match');
    await api(`/api/fault/${KIND}`, { response: 'no' });
    assert.equal(await ask('hello again'), 'no\n');
    const entries = await api(`/api/logs?protocol=${KIND}`);
    assert.deepEqual(
      entries.map((/** @type {any} */ { body, matched_id: id, fault }) => [body, id, fault]),
      [
        ['hello world', 'hello', undefined],
        ['hello again', 'hello', true],
      ],
    );
    assert.equal((await api('/api/protocols')).at(-1).protocol, KIND);
  } finally {
    client.destroy();
  }
}
