import { describe, expect, it } from '@jest/globals';
import { checkSettings, createHost, findWarnings } from '../src/index.js';
import { probe } from './support.js';

describe('a patch whose mock is not there', () => {
  const scenario = {
    id: 'typo',
    patches: [
      { mock_id: 'm', body: 'patched' },
      { mock_id: 'helo', body: 'patched' },
      { mock_id: 'm', protocol: 'other', disabled: true },
    ],
  };
  const missing = [
    { path: '/patches/1', message: 'there is no mock "helo"; the patch changes nothing until there is one' },
    {
      path: '/patches/2',
      message: 'there is no mock "m" of other; the patch changes nothing until there is one',
    },
  ];

  it('is counted beyond a hundred', async () => {
    const host = await createHost({ protocols: [probe().protocol] });
    const patches = Array.from({ length: 103 }, (_, n) => ({ mock_id: `m${n}`, body: 'patched' }));
    const { problems = [] } = host.scenarios.create({ id: 'long', patches });
    expect(problems).toHaveLength(101);
    expect(problems.slice(-2)).toEqual([
      {
        path: '/patches/99',
        message: 'there is no mock "m99"; the patch changes nothing until there is one',
      },
      { path: '/patches', message: '3 more patches are for mocks that are not there' },
    ]);
    const options = { protocols: [probe().protocol], scenarios: [{ id: 'long', patches }] };
    expect(
      findWarnings(options)
        .slice(-2)
        .map(({ path }) => path),
    ).toEqual(['/scenarios/0/patches/99/mock_id', '/scenarios/0/patches']);
    await host.stop(0);
  });

  it('is a problem of the scenario until there is one, and a log line at its activation', async () => {
    const lines: string[] = [];
    const host = await createHost({
      protocols: [probe().protocol, probe('other').protocol],
      settings: { probe: { mocks: [{ id: 'm', match: 'x', answer: 'm' }] } },
      log: ({ level, kind, text }) => void lines.push(`${level} ${kind}: ${text}`),
    });
    host.scenarios.create(scenario);
    expect(host.scenarios.get('typo').problems).toEqual(missing);
    expect(lines).toEqual([]);
    const warnings = missing.map(
      ({ path, message }) => `warn scenarios: scenario "typo": ${path} ${message}`,
    );
    host.scenarios.activate('typo');
    expect(lines).toEqual(warnings);
    host.scenarios.activate('typo');
    expect(lines).toHaveLength(2);
    host.scenarios.replace('typo', scenario);
    expect(lines).toEqual([...warnings, ...warnings]);
    host.kind('probe').mocks.create({ id: 'helo', match: 'y' });
    host.kind('other').mocks.create({ id: 'm' });
    expect(host.scenarios.get('typo').problems).toBeUndefined();
    await host.stop(0);
  });

  it('is a warning of the settings, with what may be meant', () => {
    const settings = { probe: { mocks: [{ id: 'm' }, { id: 'hello' }] } };
    const options = { protocols: [probe().protocol, probe('other').protocol], settings };
    expect(findWarnings({ ...options, scenarios: [{ id: 'empty' }, scenario] })).toEqual([
      {
        path: '/scenarios/1/patches/1/mock_id',
        message: `${missing[0]?.message}; did you mean "hello"?`,
      },
      { path: '/scenarios/1/patches/2/mock_id', message: missing[1]?.message },
    ]);
    expect(findWarnings(options)).toEqual([]);
  });
});

describe('a tag that nobody knows', () => {
  const settings = {
    probe: {
      mocks: [
        { id: 'm', match: 'x', answer: 'Dear {{first_name}}' },
        { id: 'n', answer: '{{requst.path}}' },
      ],
    },
  };
  const first = 'template tag {{first_name}} stays in the text: no value and no helper has this name';
  const second =
    'template tag {{requst.path}} stays in the text: no value and no helper has this name; did you mean {{request.path}}?';

  it('is a warning of the settings, and a log line at the start and at creation', async () => {
    const lines: string[] = [];
    const options = {
      protocols: [probe().protocol],
      settings,
      log: ({ level, kind, text }: { level: string; kind: string; text: string }) =>
        void lines.push(`${level} ${kind}: ${text}`),
    };
    expect(checkSettings(options)).toEqual([]);
    expect(findWarnings(options)).toEqual([
      { path: '/settings/probe/mocks/0/answer', message: first },
      { path: '/settings/probe/mocks/1/answer', message: second },
    ]);
    expect(lines).toEqual([]);
    const host = await createHost(options);
    expect(lines).toEqual([
      `warn probe: probe mock "m": /settings/probe/mocks/0/answer: ${first}`,
      `warn probe: probe mock "n": /settings/probe/mocks/1/answer: ${second}`,
    ]);
    host.kind('probe').mocks.create({ id: 'o', answer: '{{first_name}}' });
    expect(lines.slice(2)).toEqual([`warn probe: probe mock "o": /answer: ${first}`]);
    expect(() => host.kind('probe').mocks.create({ id: 'p', answer: '{{uper request.path}}' })).toThrow(
      /upper/,
    );
    await host.stop(0);
  });
});
