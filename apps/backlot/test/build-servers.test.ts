import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually, runTool } from '@backlot/conformance';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { makeFolder, startCommand } from './command.js';
import { ROOT } from './docs/page.js';

/** As far as these tests look at `action.yml`. */
interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: {
    readonly steps: readonly [
      { readonly id: string; readonly run: string; readonly env: Readonly<Record<string, string>> },
    ];
  };
}

const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as Action;
const [step] = action.runs.steps;
const COMMAND = join(ROOT, 'apps/backlot/bin/backlot.js');

let folder: ReturnType<typeof makeFolder> | undefined;
afterEach(async () => {
  const file = join(folder?.path ?? '', 'pid');
  if (existsSync(file)) {
    const pid = Number(readFileSync(file, 'utf8'));
    if (isThere(pid)) process.kill(pid);
    await eventually(() => !isThere(pid));
  }
  folder?.remove();
  folder = undefined;
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Runs a script as GitHub's runner does, in a folder of its own where `npx backlot` is the command of this repository. */
async function runScript(script: string, env: Readonly<Record<string, string>>) {
  const made = makeFolder();
  folder = made;
  const { path } = made;
  writeFileSync(join(path, 'npx'), `#!/bin/sh\necho $$ >"$PID_FILE"\nshift 2\nexec node ${COMMAND} "$@"\n`);
  chmodSync(join(path, 'npx'), 0o755);
  writeFileSync(
    join(path, 'backlot.yaml'),
    'protocols:\n  http:\n    port: 0\n    mocks: [{request: {path: /a}, response: {body: answered}}]\n',
  );
  for (const file of ['env', 'output']) writeFileSync(join(path, file), '');
  writeFileSync(join(path, 'script.sh'), script);
  const { code, out } = await runTool(
    'bash',
    ['--noprofile', '--norc', '-eo', 'pipefail', join(path, 'script.sh')],
    {
      cwd: path,
      env: {
        ...{ PATH: `${path}:${process.env['PATH'] ?? ''}`, PID_FILE: join(path, 'pid') },
        ...{ RUNNER_TEMP: path, GITHUB_ENV: join(path, 'env'), GITHUB_OUTPUT: join(path, 'output') },
        ...env,
      },
    },
  );
  const read = (file: string): Record<string, string> =>
    Object.fromEntries(
      readFileSync(join(path, file), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.split(/=(.*)/) as [string, string]),
    );
  return { code, out, variables: read('env'), outputs: read('output') };
}

describe('the action for GitHub', () => {
  it('hands each input to its script', () => {
    expect(step.env).toEqual(
      Object.fromEntries(
        Object.keys(action.inputs).map((name) => [name.toUpperCase(), `\${{ inputs.${name} }}`]),
      ),
    );
  });

  it('starts servers, and tells further steps where they are', async () => {
    const { code, variables, outputs } = await runScript(step.run, {
      ...{ CONFIG: '', ONLY: 'http', FLAGS: '--api-port=0\n--seed=7\n', VERSION: 'latest' },
    });
    expect(code).toBe(0);
    expect(Object.keys(variables)).toEqual(['HTTP_URL', 'BACKLOT_URL']);
    expect(await (await fetch(`${variables['HTTP_URL'] ?? ''}/a`)).text()).toBe('answered');
    expect(outputs).toEqual({ url: variables['BACKLOT_URL'] });
    expect((await fetch(`${outputs['url'] ?? ''}/api/health`)).status).toBe(200);
  });

  it('fails with what the server says when it does not start', async () => {
    const { code, out } = await runScript(step.run, {
      ...{ CONFIG: 'missing.yaml', ONLY: '', FLAGS: '', VERSION: 'latest' },
    });
    expect(code).toBe(1);
    expect(out).toContain('missing.yaml');
    expect(out).toContain('::error::Backlot has not started');
  });
});

describe('the template for GitLab', () => {
  const { '.backlot': job } = parse(readFileSync(join(ROOT, 'deploy/gitlab/backlot.yml'), 'utf8')) as {
    '.backlot': { before_script: string[]; services: object[]; variables: Record<string, string> };
  };

  it('sends the configuration of the repository to the service', async () => {
    const server = await startCommand(['--only=http', '--api-port=0', '--http-port=0']);
    try {
      const { urls } = server;
      const { code } = await runScript(job.before_script.join('\n'), { BACKLOT_URL: urls['api'] ?? '' });
      expect(code).toBe(0);
      expect(await (await fetch(`${urls['http'] ?? ''}/a`)).text()).toBe('answered');
    } finally {
      await server.stop();
    }
  });

  it('names the service as its variables do', () => {
    expect(job.services).toEqual([{ name: '$BACKLOT_IMAGE', alias: 'backlot' }]);
    expect(new URL(job.variables['BACKLOT_URL'] ?? '').host).toBe('backlot:9091');
  });
});
