import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { startBacklot, useBacklot } from '@backlot/testing';
import { http } from '@backlot/http';
import type * as AnthropicModule from '@anthropic-ai/sdk';
import type * as OpenAIModule from 'openai';

// The ES modules of these SDKs import each other in a circle, which jest does not load as Node.js does.
const require = createRequire(import.meta.url);
const { OpenAI } = require('openai') as typeof OpenAIModule;
const { Anthropic } = require('@anthropic-ai/sdk') as typeof AnthropicModule;

const backlot = useBacklot({ protocols: [http], services: ['openai', 'anthropic'] });
/** A Backlot that has a provider. */
type Served = Pick<typeof backlot, 'env' | 'clock' | 'journal'>;

/** One turn of an application: what it says, or what its tool has found. */
interface Turn {
  readonly text?: string;
  readonly result?: string;
}

/** What a model has said. */
interface Said {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly input: number;
  readonly output: number;
}

/** A conversation by the SDK of a provider: each turn is sent with all that were before. */
interface Conversation {
  say(turn: Turn): Promise<Said>;
  /** The texts of a stream, as they come. */
  stream(text: string, heard: (text: string) => void): Promise<void>;
}

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
} as const;

function byOpenAI({ env }: Served = backlot): Conversation {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL } = env;
  const openai = new OpenAI({ apiKey, baseURL, maxRetries: 0 });
  const messages: OpenAIModule.OpenAI.ChatCompletionMessageParam[] = [];
  const model = 'gpt-4o-mini';
  return {
    async say({ text, result }) {
      const before = messages.at(-1) as { tool_calls?: { id: string }[] } | undefined;
      messages.push(
        result === undefined
          ? { role: 'user', content: text ?? '' }
          : { role: 'tool', tool_call_id: before?.tool_calls?.[0]?.id ?? '', content: result },
      );
      const { choices, usage } = await openai.chat.completions.create({
        model,
        messages,
        tools: [{ type: 'function', function: { name: 'get_weather', parameters: PARAMETERS } }],
      });
      const message = choices[0]!.message;
      messages.push(message);
      expect(usage?.total_tokens).toBe(usage!.prompt_tokens + usage!.completion_tokens);
      return {
        text: message.content ?? '',
        calls: (message.tool_calls ?? []).map((call) => {
          const { name, arguments: given } = (call as { function: { name: string; arguments: string } })
            .function;
          return { name, input: JSON.parse(given) as unknown };
        }),
        input: usage!.prompt_tokens,
        output: usage!.completion_tokens,
      };
    },
    async stream(text, heard) {
      const stream = await openai.chat.completions.create({
        model,
        messages: [{ role: 'user', content: text }],
        stream: true,
      });
      for await (const { choices } of stream) if (choices[0]?.delta.content) heard(choices[0].delta.content);
    },
  };
}

function byAnthropic({ env }: Served = backlot): Conversation {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseURL } = env;
  const anthropic = new Anthropic({ apiKey, baseURL, maxRetries: 0 });
  const messages: AnthropicModule.Anthropic.MessageParam[] = [];
  const model = 'claude-haiku-4-5';
  return {
    async say({ text, result }) {
      const before = [messages.at(-1)?.content ?? []].flat() as readonly { type?: string; id?: string }[];
      const call = before.find(({ type }) => type === 'tool_use');
      messages.push({
        role: 'user',
        content:
          result === undefined
            ? (text ?? '')
            : [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: result }],
      });
      const { content, usage } = await anthropic.messages.create({
        model,
        max_tokens: 1000,
        messages,
        tools: [{ name: 'get_weather', input_schema: { ...PARAMETERS, required: ['city'] } }],
      });
      messages.push({ role: 'assistant', content });
      return {
        text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        calls: content.flatMap((block) =>
          block.type === 'tool_use' ? [{ name: block.name, input: block.input }] : [],
        ),
        input: usage.input_tokens,
        output: usage.output_tokens,
      };
    },
    async stream(text, heard) {
      const stream = await anthropic.messages.create({
        model,
        max_tokens: 10_000,
        messages: [{ role: 'user', content: text }],
        stream: true,
      });
      for await (const event of stream)
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
          heard(event.delta.text);
    },
  };
}

const PROVIDERS = { openai: byOpenAI, anthropic: byAnthropic } as const;
const rules = (rows: readonly object[]): void => {
  for (const name of Object.keys(PROVIDERS)) backlot.collection(`${name}:replies`).setAll(rows);
};
const SECOND = 1000;

/** What is heard of a stream, while the clock is frozen. */
async function listen(name: keyof typeof PROVIDERS, from: Served = backlot) {
  from.clock.freeze(true);
  const heard: string[] = [];
  const ended = PROVIDERS[name](from).stream('x', (token) => heard.push(token));
  await eventually(() => from.journal.list({}).length > 0);
  return { heard, ended };
}

describe.each(Object.keys(PROVIDERS) as (keyof typeof PROVIDERS)[])('%s', (name) => {
  it('goes through the script of a conversation with a tool, and its usage adds up', async () => {
    rules([
      { when: { tool: 'get_weather', message: '*storm*' }, reply: 'Stay at home.' },
      { when: { tool: 'get_weather' }, reply: 'It rains in Bern.' },
      { when: { message: '*bern*' }, reply: { tools: [{ name: 'get_weather', input: { city: 'Bern' } }] } },
      { when: { message: 'thanks*' }, reply: 'You are welcome.' },
    ]);
    const talk = PROVIDERS[name]();
    const asked = await talk.say({ text: 'How is the weather in Bern?' });
    expect(asked).toMatchObject({ text: '', calls: [{ name: 'get_weather', input: { city: 'Bern' } }] });
    const told = await talk.say({ result: 'rain, 12 degrees' });
    expect(told).toMatchObject({ text: 'It rains in Bern.', calls: [] });
    const thanked = await talk.say({ text: 'Thanks!' });
    expect(thanked.text).toBe('You are welcome.');
    // What was said and answered is part of what is sent with the next turn.
    expect(told.input).toBeGreaterThan(asked.input);
    expect(thanked.input).toBeGreaterThanOrEqual(told.input + told.output);
    const again = PROVIDERS[name]();
    await again.say({ text: 'And in Bern?' });
    expect((await again.say({ result: 'a storm' })).text).toBe('Stay at home.');
  });
});

describe.each(['openai', 'anthropic'] as const)('a stream of %s', (name) => {
  const text = 'abcd'.repeat(400);

  it('has its first token after a time, and then so many per second', async () => {
    rules([{ reply: { text, first: '3s', tokens_per_second: 100 } }]);
    const { heard, ended } = await listen(name);
    for (const [seconds, count] of [
      [3, 1],
      [1, 101],
      [2.5, 351],
      [0.49, 400],
    ] as const) {
      await backlot.clock.advance(seconds * SECOND);
      await eventually(() => heard.length === count);
    }
    await ended;
    expect(heard.join('')).toBe(text);
  });

  it.each([
    [{ tokens_per_second: { uniform: { min: 50, max: 200 } } }, 2, 8],
    [{ tokens_per_second: { lognormal: { median: 100, sigma: 0.4, min: 20 } } }, 2, 8],
    [{ token: { uniform: { min: '5ms', max: '20ms' } } }, 2, 8],
  ])('comes at a speed that is rolled for each token: %j', async (speed, soonest, latest) => {
    backlot.reset();
    rules([{ reply: { text, ...speed } }]);
    const { heard, ended } = await listen(name);
    await backlot.clock.advance((soonest - 0.05) * SECOND);
    await eventually(() => heard.length > 90);
    expect(heard.length).toBeLessThan(399);
    await backlot.clock.advance((latest - soonest) * SECOND);
    await ended;
    expect(heard).toHaveLength(400);
  });

  it('has the speed of all of them, unless its rule says another', async () => {
    const other = await startBacklot({
      services: ['openai', 'anthropic'],
      vars: { [name]: { first_token: '1s', tokens_per_second: 10 } },
    });
    try {
      other.clock.freeze(true);
      other.collection(`${name}:replies`).setAll([{ reply: text }]);
      const { heard, ended } = await listen(name, other);
      await other.clock.advance(11 * SECOND);
      await eventually(() => heard.length === 101);
      await other.clock.advance(30 * SECOND);
      await ended;
    } finally {
      await other.stop();
    }
  });

  it.each([0, '50', { normal: { mean: 50 } }, { uniform: { min: 0, max: 5 } }])(
    'is refused with a speed that cannot be: %j',
    async (speed) => {
      rules([{ reply: { text, tokens_per_second: speed } }]);
      await expect(PROVIDERS[name]().say({ text: 'x' })).rejects.toMatchObject({ status: 500 });
      expect(backlot.journal.list({}).at(-1)).toMatchObject({
        failure: expect.stringContaining('tokens_per_second: must be a number above 0'),
      });
    },
  );
});

it('providers say the same, with as many tokens for the same answer', async () => {
  rules([{ reply: 'The first of May is a holiday.' }]);
  const [openai, anthropic] = await Promise.all(
    [byOpenAI(), byAnthropic()].map((talk) => talk.say({ text: 'x' })),
  );
  expect([openai?.text, openai?.output]).toEqual([anthropic?.text, anthropic?.output]);
});

describe('a mock for what is said last', () => {
  it.each([
    ['openai', '/openai/v1/chat/completions'],
    ['anthropic', '/anthropic/v1/messages'],
  ] as const)('of %s is asked before its script', async (name, path) => {
    backlot.http.mock({
      priority: 1,
      request: { method: 'POST', path, body_json: { 'messages.-1.content': { contains: 'secret' } } },
      response: { status: 451, json: { error: { message: 'not here' } } },
    });
    rules([{ reply: 'yes' }]);
    const talk = PROVIDERS[name]();
    expect((await talk.say({ text: 'hello' })).text).toBe('yes');
    await expect(talk.say({ text: 'tell a secret' })).rejects.toMatchObject({ status: 451 });
    // It is said before, and not last.
    expect((await talk.say({ text: 'never mind' })).text).toBe('yes');
  });
});
