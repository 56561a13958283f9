import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { loadSource, OpenApiContract } from '../src/index.js';

/** Documents that nobody here wrote, see the README of that folder. */
const FOLDER = fileURLToPath(new URL('../../imports/test/samples/openapi', import.meta.url));
/** Those of GitHub, Stripe and others, where somebody has them: files, separated by colons. */
const FURTHER = (process.env['BACKLOT_OPENAPI_FILES'] ?? '').split(':').filter((file) => file !== '');

const samples = readdirSync(FOLDER, { withFileTypes: true, recursive: true })
  .filter((each) => each.isFile())
  .map(({ parentPath, name }) => join(parentPath, name));
const files = [...samples, ...FURTHER];

it('holds requests to the webhooks of a document that has nothing else', async () => {
  const contract = new OpenApiContract(await loadSource(join(FOLDER, 'v3.1/webhooks.json')), { seed: 7 });
  const check = (path: string, body: string): unknown => {
    const headers = { 'content-type': 'application/json' };
    return contract.checkRequest({ method: 'POST', path, query: '', headers, body: Buffer.from(body) });
  };
  expect(contract.operations.map(({ name }) => name).toSorted()).toEqual(['DELETE /newPet', 'POST /newPet']);
  expect(check('/newPet', '{"id": 7, "name": "Rex"}')).toMatchObject({ violations: [] });
  expect(check('/newPet', '{"id": "x", "name": "Rex"}')).toMatchObject({
    violations: [expect.objectContaining({ path: '/body/id' })],
  });
});

describe.each(files)('%s', (file) => {
  it('has answers for each status of each operation that its own schemas allow', async () => {
    const contract = new OpenApiContract(await loadSource(file), { seed: 7 });
    expect(contract.operations.length).toBeGreaterThan(0);
    const broken: string[] = [];
    let count = 0;
    for (const { name, answers } of contract.operations) {
      for (const status of answers) {
        for (const prefer of ['', 'dynamic=true']) {
          const code = status === 'default' ? '' : `code=${status.replaceAll(/x/gi, '0')}`;
          const headers = { prefer: [code, prefer].filter((part) => part !== '').join(', ') };
          const made = await contract.inTurns(() => contract.make(name, headers, 1));
          if (made === undefined) throw new Error(`${name} is not there`);
          count += 1;
          if ('reason' in made) {
            broken.push(`${name} ${status}: ${made.reason}`);
            continue;
          }
          const answer = {
            status: made.status,
            headers: Object.fromEntries(made.headers.map(([header, value]) => [header.toLowerCase(), value])),
            body: made.body,
          };
          const { violations } = contract.checkAnswer(name, answer);
          if (violations.length > 0) broken.push(`${name} ${status}: ${JSON.stringify(violations)}`);
        }
      }
    }
    expect(count).toBeGreaterThan(0);
    // What has no value at all, or none that is found, is a refusal that says so, and is rare.
    expect(broken.filter((one) => !one.endsWith('no value was found that its schema allows'))).toEqual([]);
    expect(broken.length / count).toBeLessThan(0.01);
  });
});
