import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import type * as Module from '@anthropic-ai/sdk';

// The ES modules of this SDK import each other in a circle, which jest does not load as Node.js does.
const { Anthropic } = createRequire(import.meta.url)('@anthropic-ai/sdk') as typeof Module;

const backlot = useBacklot({ services: ['anthropic'] });
const MODEL = 'claude-haiku-4-5';

function connect(options: Module.ClientOptions = {}): Module.Anthropic {
  const { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY } = backlot.env;
  return new Anthropic({ apiKey: ANTHROPIC_API_KEY, baseURL: ANTHROPIC_BASE_URL, maxRetries: 0, ...options });
}

const failure = (promise: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(promise).then(
    () => undefined,
    (error: unknown) => error,
  );

const rules = (...rows: object[]): void => backlot.collection('anthropic:replies').setAll(rows);
const ask = (content: string): Module.Anthropic.MessageCreateParamsNonStreaming => ({
  model: MODEL,
  max_tokens: 1000,
  messages: [{ role: 'user', content }],
});

const TOOL: Module.Anthropic.Tool = {
  name: 'get_weather',
  description: 'The weather of a city.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

/** The texts of a stream until it ends, or breaks. */
async function readTexts(stream: AsyncIterable<Module.Anthropic.MessageStreamEvent>, texts: string[]) {
  for await (const event of stream)
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
      texts.push(event.delta.text);
}

describe('messages', () => {
  it('are answered by what was said last, else repeated, with the tokens of both', async () => {
    rules({ when: { message: '*weather*' }, reply: 'It rains.' });
    const anthropic = connect();
    const answer = await anthropic.messages.create({ ...ask('How is the Weather?'), system: 'Be short.' });
    expect(answer).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: MODEL,
      content: [{ type: 'text', text: 'It rains.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
    });
    expect(answer._request_id).toMatch(/^req_/);
    const plain = await anthropic.messages.create(ask('How is the Weather?'));
    expect(answer.usage.input_tokens).toBeGreaterThan(plain.usage.input_tokens);
    expect(answer.usage.output_tokens).toBe(plain.usage.output_tokens);
    const other = await anthropic.messages.create(ask('hello'));
    expect(other.content).toMatchObject([{ text: 'This is a mocked answer to: hello' }]);
  });

  it('end at a limit of tokens, and at the first stop sequence', async () => {
    rules({ reply: 'one two three four' });
    const anthropic = connect();
    expect(await anthropic.messages.create({ ...ask('x'), max_tokens: 2 })).toMatchObject({
      stop_reason: 'max_tokens',
      content: [{ text: 'one two' }],
      usage: { output_tokens: 2 },
    });
    expect(
      await anthropic.messages.create({ ...ask('x'), stop_sequences: [' four', ' three'] }),
    ).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: ' three',
      content: [{ text: 'one two' }],
    });
  });

  it('read blocks of text, of the system prompt as well', async () => {
    rules({ when: { message: 'a b' }, reply: 'yes' });
    const answer = await connect().messages.create({
      ...ask(''),
      system: [{ type: 'text', text: 'Be short.' }],
      messages: [
        { role: 'user', content: 'before' },
        { role: 'assistant', content: 'then' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            { type: 'text', text: ' b' },
          ],
        },
      ],
    });
    expect(answer.content).toMatchObject([{ text: 'yes' }]);
  });

  it('are objects of the schema that is asked for', async () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 18 } },
    };
    const answer = await connect().messages.parse({
      ...ask('x'),
      output_config: { format: { type: 'json_schema', schema } },
    });
    expect(answer.content).toMatchObject([{ type: 'text', text: '{"name":"text","age":18}' }]);
  });

  it('are refused, and fail, as their rules say', async () => {
    rules(
      { when: { message: 'refuse' }, reply: { refusal: 'I cannot help with that.' } },
      { when: { message: 'busy' }, reply: { error: { status: 529, message: 'Overloaded' } } },
    );
    const anthropic = connect();
    expect(await anthropic.messages.create(ask('refuse'))).toMatchObject({
      stop_reason: 'refusal',
      stop_details: { explanation: 'I cannot help with that.' },
      content: [],
    });
    const error = await failure(anthropic.messages.create(ask('busy')));
    expect(error).toBeInstanceOf(Anthropic.APIError);
    expect(error).toMatchObject({ status: 529, type: 'overloaded_error' });
  });

  it('think when they are asked to', async () => {
    rules({ reply: { text: 'Four.', thinking: 'two and two' } });
    const anthropic = connect();
    const thinking = { type: 'enabled', budget_tokens: 1024 } as const;
    const call = { ...ask('x'), max_tokens: 2000, thinking };
    const thought = await anthropic.messages.stream(call).finalMessage();
    expect(thought.content).toMatchObject([
      { type: 'thinking', thinking: 'two and two', signature: expect.stringMatching(/^\w{64}$/) },
      { type: 'text', text: 'Four.' },
    ]);
    const plain = await anthropic.messages.create(ask('x'));
    expect(plain.content).toMatchObject([{ type: 'text', text: 'Four.' }]);
    expect(thought.usage.output_tokens).toBeGreaterThan(plain.usage.output_tokens);
    // What was thought is sent back with the conversation.
    const { content } = thought;
    const next = await anthropic.messages.create({
      ...call,
      messages: [
        ...call.messages,
        { role: 'assistant', content: content as Module.Anthropic.ContentBlockParam[] },
        { role: 'user', content: 'y' },
      ],
    });
    expect(next.stop_reason).toBe('end_turn');
  });
});

describe('streams', () => {
  it('send token by token, with the usage at the end', async () => {
    rules({ reply: 'one two three' });
    const stream = await connect().messages.create({ ...ask('x'), stream: true });
    const types: string[] = [];
    let output = 0;
    for await (const event of stream) {
      if (types.at(-1) !== event.type) types.push(event.type);
      if (event.type === 'message_delta') output = event.usage.output_tokens;
    }
    expect(types).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(output).toBe(4);
    const whole = await connect().messages.stream(ask('x')).finalMessage();
    expect(whole).toMatchObject({ content: [{ text: 'one two three' }], stop_reason: 'end_turn' });
  });

  it('come at the pace of their rule, by the clock', async () => {
    rules({ reply: { text: 'one two', first: '1h', token: { fixed: '1h' } } });
    backlot.clock.freeze(true);
    const stream = await connect().messages.create({ ...ask('x'), stream: true });
    const texts: string[] = [];
    const reading = readTexts(stream, texts);
    expect(texts).toEqual([]);
    await backlot.clock.advance(3_600_000);
    while (texts.length < 1) await new Promise((resolve) => setImmediate(resolve));
    expect(texts).toEqual(['one']);
    await backlot.clock.advance(3_600_000);
    await reading;
    expect(texts).toEqual(['one', ' two']);
  });

  it('break in the middle with the error of an overload', async () => {
    rules({ reply: { text: 'one two three', break_after: 2 } });
    const stream = await connect().messages.create({ ...ask('x'), stream: true });
    const texts: string[] = [];
    const error = await failure(readTexts(stream, texts));
    expect(error).toBeInstanceOf(Anthropic.APIError);
    expect(error).toMatchObject({ type: 'overloaded_error' });
    expect(texts).toEqual(['one', ' two']);
  });
});

describe('tools', () => {
  it('are called and answered by a script, in a stream as well', async () => {
    rules(
      { when: { tool: 'get_weather' }, reply: 'It rains in Bern.' },
      {
        when: { message: '*bern*' },
        reply: { text: 'I look.', tools: [{ name: 'get_weather', input: { city: 'Bern' } }] },
      },
    );
    const anthropic = connect();
    const call = { ...ask('Rain in Bern?'), tools: [TOOL] };
    const first = await anthropic.messages.create(call);
    expect(first).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: 'I look.' },
        {
          type: 'tool_use',
          id: expect.stringMatching(/^toolu_/),
          name: 'get_weather',
          input: { city: 'Bern' },
        },
      ],
    });
    const id = first.content[1]?.type === 'tool_use' ? first.content[1].id : '';
    const second = await anthropic.messages.create({
      ...call,
      messages: [
        ...call.messages,
        { role: 'assistant', content: first.content as Module.Anthropic.ContentBlockParam[] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'rain' }] },
      ],
    });
    expect(second.content).toMatchObject([{ text: 'It rains in Bern.' }]);
    const streamed = await anthropic.messages.stream(call).finalMessage();
    expect(streamed.content[1]).toMatchObject({ type: 'tool_use', input: { city: 'Bern' } });
    const given: unknown[] = [];
    const run = (input: unknown): string => {
      given.push(input);
      return 'rain';
    };
    const parse = (content: unknown): unknown => content;
    const final = await anthropic.beta.messages.toolRunner({
      ...ask('Rain in Bern?'),
      tools: [{ ...TOOL, run, parse }],
    } as never);
    expect(given).toEqual([{ city: 'Bern' }]);
    expect(final).toMatchObject({ content: [{ text: 'It rains in Bern.' }] });
  });

  it.each([
    [{ type: 'any' }, 'get_weather'],
    [{ type: 'tool', name: 'other' }, 'other'],
  ] as const)('that must be called by %j are, with what their schema accepts', async (choice, name) => {
    const answer = await connect().messages.create({
      ...ask('x'),
      tools: [TOOL, { ...TOOL, name: 'other' }],
      tool_choice: choice,
    });
    expect(answer.content).toMatchObject([{ type: 'tool_use', name, input: { city: 'text' } }]);
  });

  it('are refused without a result, and results without a call', async () => {
    const anthropic = connect();
    const use = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} } as const;
    const result = { type: 'tool_result', tool_use_id: 'toolu_2', content: 'x' } as const;
    const of = (...messages: Module.Anthropic.MessageParam[]): Promise<unknown> =>
      failure(anthropic.messages.create({ ...ask('x'), tools: [TOOL], messages }));
    const user = { role: 'user', content: 'x' } as const;
    const open = await of(user, { role: 'assistant', content: [use] }, user);
    expect(String(open)).toContain('without `tool_result` blocks immediately after: toolu_1');
    const loose = await of(user, { role: 'assistant', content: 'x' }, { role: 'user', content: [result] });
    expect(String(loose)).toContain('unexpected `tool_use_id` found in `tool_result` blocks: toolu_2');
  });
});

describe('threads', () => {
  it('hold the conversation, and start anew when they are lost', async () => {
    rules({ when: { message: 'and now?' }, reply: 'Still rain.' }, { reply: 'It rains.' });
    const anthropic = connect();
    const thread = anthropic.beta.messages.thread({ model: MODEL, max_tokens: 100, system: 'Be short.' });
    const user = (content: string): { role: 'user'; content: string } => ({ role: 'user', content });
    const first = await thread.send(user('weather?'));
    expect(first).toMatchObject({ content: [{ text: 'It rains.' }] });
    const second = await thread.send(user('and now?'));
    expect(second).toMatchObject({ content: [{ text: 'Still rain.' }] });
    expect(second.usage.input_tokens).toBeGreaterThan(first.usage.input_tokens + 2);
    const again = { model: MODEL, max_tokens: 9, messages: [user('x')] };
    const from = (id: string): Promise<unknown> =>
      failure(
        anthropic.beta.messages.create({ ...again, thread: { type: 'continue', previous_message_id: id } }),
      );
    expect(await from(first.id)).toMatchObject({ status: 409, errorCode: 'thread_already_continued' });
    expect(await from('msg_x')).toMatchObject({ status: 404, errorCode: 'thread_not_found' });
    backlot.collection('anthropic:threads').setAll([]);
    const third = await thread.send(user('and now?'));
    expect(third.usage.input_tokens).toBeGreaterThan(second.usage.input_tokens);
  });
});

describe('token counts', () => {
  it('are those that the message then has', async () => {
    const anthropic = connect();
    const { max_tokens: _, ...asked } = { ...ask('How is the weather?'), system: 'Be short.', tools: [TOOL] };
    const { input_tokens: counted } = await anthropic.messages.countTokens(asked);
    const { usage } = await anthropic.messages.create({ ...asked, max_tokens: 10 });
    expect(counted).toBe(usage.input_tokens);
    const { input_tokens: less } = await anthropic.messages.countTokens({ ...asked, tools: [] });
    expect(less).toBeLessThan(counted);
  });
});

describe('models', () => {
  it('are listed by pages, and read by id', async () => {
    const anthropic = connect();
    const ids: string[] = [];
    for await (const { id } of anthropic.models.list({ limit: 2 })) ids.push(id);
    expect(ids).toContain(MODEL);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(6);
    const before = await anthropic.models.list({ before_id: ids[3] ?? '', limit: 2 });
    expect(before.data.map(({ id }) => id)).toEqual(ids.slice(1, 3));
    expect(await anthropic.models.retrieve(MODEL)).toMatchObject({
      type: 'model',
      display_name: 'Claude Haiku 4.5',
    });
    expect(await failure(anthropic.models.retrieve('claude-0'))).toBeInstanceOf(Anthropic.NotFoundError);
  });
});

describe('batches', () => {
  const requests = [
    { custom_id: 'a', params: ask('weather') },
    { custom_id: 'b', params: { ...ask('x'), model: 'claude-0' } },
  ];

  it('end by the clock, and their results are lines of JSON', async () => {
    rules({ when: { message: 'weather' }, reply: 'It rains.' });
    backlot.clock.freeze(true);
    const { batches } = connect().messages;
    const made = await batches.create({ requests });
    expect(made).toMatchObject({
      processing_status: 'in_progress',
      request_counts: { processing: 2, succeeded: 0 },
      results_url: null,
      ended_at: null,
    });
    expect(String(await failure(batches.results(made.id)))).toContain('in_progress');
    expect(await failure(batches.delete(made.id))).toBeInstanceOf(Anthropic.BadRequestError);
    await backlot.clock.advance(60_000);
    const ended = await batches.retrieve(made.id);
    expect(ended).toMatchObject({
      processing_status: 'ended',
      request_counts: { processing: 0, succeeded: 1, errored: 1 },
    });
    const results = [];
    for await (const line of await batches.results(made.id)) results.push(line);
    expect(results).toMatchObject([
      { custom_id: 'a', result: { type: 'succeeded', message: { content: [{ text: 'It rains.' }] } } },
      { custom_id: 'b', result: { type: 'errored', error: { error: { type: 'not_found_error' } } } },
    ]);
    expect(await batches.delete(made.id)).toEqual({ id: made.id, type: 'message_batch_deleted' });
    expect(await failure(batches.retrieve(made.id))).toBeInstanceOf(Anthropic.NotFoundError);
  });

  it('are canceled', async () => {
    backlot.clock.freeze(true);
    const { batches } = connect().messages;
    const { id } = await batches.create({ requests });
    expect(await batches.cancel(id)).toMatchObject({ processing_status: 'canceling' });
    await backlot.clock.advance(1000);
    expect(await batches.retrieve(id)).toMatchObject({
      processing_status: 'ended',
      request_counts: { canceled: 2, processing: 0 },
    });
    for await (const { result } of await batches.results(id)) expect(result).toEqual({ type: 'canceled' });
    expect(await failure(batches.cancel(id))).toBeInstanceOf(Anthropic.BadRequestError);
  });

  it('are listed, newest first', async () => {
    const { batches } = connect().messages;
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.unshift((await batches.create({ requests })).id);
    const listed: string[] = [];
    for await (const { id } of batches.list({ limit: 2 })) listed.push(id);
    expect(listed).toEqual(ids);
  });

  it.each([
    [[], 'at least 1 item'],
    [[requests[0], requests[0]], "Duplicate custom_id 'a'"],
    [[{ ...requests[0], custom_id: 'a b' }], 'requests.0.custom_id: String should match pattern'],
    [[{ custom_id: 'a' }], 'requests.0.params: Field required'],
  ])('are refused for %j', async (given, message) => {
    const error = await failure(connect().messages.batches.create({ requests: given as never }));
    expect(error).toBeInstanceOf(Anthropic.BadRequestError);
    expect(String(error)).toContain(message);
  });
});

describe('errors', () => {
  it.each([
    [{ messages: [] }, 'messages: at least one message is required'],
    [{ messages: [{ role: 'assistant', content: 'x' }] }, 'first message must use the'],
    [{ messages: [{ role: 'system', content: 'x' }] }, 'top-level `system` parameter'],
    [{ messages: [{ role: 'user', content: [{ type: 'sound' }] }] }, "Input tag 'sound'"],
    [{ messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }, 'must be non-empty'],
    [{ max_tokens: 0 }, 'max_tokens: Input should be greater than or equal to 1'],
    [{ temperature: 2 }, 'temperature: range: 0..1'],
    [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'not mocked'],
    [{ tools: [null] }, 'tools.0'],
    [{ tool_choice: { type: 'tool', name: 'x' } }, "Tool 'x' not found"],
    [{ colour: 'red' }, 'colour: Extra inputs are not permitted'],
    [{ thinking: { type: 'enabled', budget_tokens: 5 } }, 'greater than or equal to 1024'],
    [{ output_config: { format: { type: 'xml' } } }, 'output_config.format.type'],
  ])('of %j are those of an invalid request', async (change, message) => {
    const error = await failure(connect().messages.create({ ...ask('x'), ...change } as never));
    expect(error).toBeInstanceOf(Anthropic.BadRequestError);
    expect(error).toMatchObject({ type: 'invalid_request_error' });
    expect(String(error)).toContain(message);
  });

  it.each([
    [{ messages: [null] }, "messages.0.role: Input should be 'user' or 'assistant'"],
    [{ max_tokens: 64_001 }, 'max_tokens: 64001 > 64000'],
  ])('of %j, which the SDK does not send, are those as well', async (change, message) => {
    const error = await failure(connect().post('/v1/messages', { body: { ...ask('x'), ...change } }));
    expect(error).toBeInstanceOf(Anthropic.BadRequestError);
    expect(String(error)).toContain(message);
  });

  it('of keys and models are classes of the SDK', async () => {
    const wrong = await failure(connect({ apiKey: 'sk-ant-invalid' }).models.list());
    expect(wrong).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(wrong).toMatchObject({ type: 'authentication_error', requestID: expect.stringMatching(/^req_/) });
    const model = await failure(connect().messages.create({ ...ask('x'), model: 'claude-0' }));
    expect(model).toBeInstanceOf(Anthropic.NotFoundError);
    const bare = await fetch(`${backlot.env.ANTHROPIC_BASE_URL}/v1/models`);
    expect([bare.status, await bare.json()]).toMatchObject([
      401,
      { error: { type: 'authentication_error' } },
    ]);
    const unversioned = await fetch(`${backlot.env.ANTHROPIC_BASE_URL}/v1/models`, {
      headers: { 'x-api-key': 'k' },
    });
    expect([unversioned.status, await unversioned.text()]).toEqual([
      400,
      expect.stringContaining('anthropic-version: header is required'),
    ]);
  });

  it('of a path that is not known name those that are', async () => {
    const error = await failure(connect().get('/v1/complete'));
    expect(error).toBeInstanceOf(Anthropic.NotFoundError);
    expect(String(error)).toMatch(/GET .*knows .*\/v1\/messages/);
  });
});

describe('scenarios', () => {
  it.each([
    ['rate-limited', Anthropic.RateLimitError, 'rate_limit_error'],
    ['overloaded', Anthropic.APIError, 'overloaded_error'],
    ['outage', Anthropic.InternalServerError, 'api_error'],
    ['wrong-key', Anthropic.AuthenticationError, 'authentication_error'],
    ['no-credit', Anthropic.BadRequestError, 'invalid_request_error'],
    ['content-filter', Anthropic.BadRequestError, 'invalid_request_error'],
  ] as const)('%s answers so', async (name, kind, type) => {
    backlot.scenarios.activate(`anthropic:${name}`);
    const error = await failure(connect().messages.create(ask('x')));
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ type });
  });

  it('rate-limited has the headers of the limits, by which the SDK waits', async () => {
    backlot.scenarios.activate('anthropic:rate-limited');
    const error = await failure(connect().messages.create(ask('x')));
    const { headers } = error as Module.APIError;
    expect(headers?.get('retry-after')).toBe('1');
    expect(headers?.get('anthropic-ratelimit-requests-remaining')).toBe('0');
    expect(headers?.get('anthropic-ratelimit-requests-reset')).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it('broken-stream breaks streams in the middle, and no other answer', async () => {
    rules({ reply: 'one two three' });
    backlot.scenarios.activate('anthropic:broken-stream');
    const texts: string[] = [];
    const stream = await connect().messages.create({ ...ask('x'), stream: true });
    const error = await failure(readTexts(stream, texts));
    expect(error).toBeInstanceOf(Anthropic.APIError);
    expect(error).toMatchObject({ type: 'overloaded_error' });
    expect(texts).toEqual(['one', ' two']);
    expect((await connect().messages.create(ask('x'))).content).toMatchObject([{ text: 'one two three' }]);
  });

  it('slow lets the SDK give up', async () => {
    backlot.clock.freeze(true);
    backlot.scenarios.activate('anthropic:slow');
    const error = await failure(connect({ timeout: 50 }).messages.create(ask('x')));
    expect(error).toBeInstanceOf(Anthropic.APIConnectionTimeoutError);
  });
});
