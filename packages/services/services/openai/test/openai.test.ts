import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import type * as Module from 'openai';

// The ES modules of this SDK import each other in a circle, which jest does not load as Node.js does.
const { OpenAI, toFile } = createRequire(import.meta.url)('openai') as typeof Module;

const backlot = useBacklot({ services: ['openai'] });
const MODEL = 'gpt-4o-mini';

function connect(apiKey = backlot.env.OPENAI_API_KEY): Module.OpenAI {
  return new OpenAI({ apiKey, baseURL: backlot.env.OPENAI_BASE_URL, maxRetries: 0 });
}

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const rules = (...rows: object[]): void => backlot.collection('openai:replies').setAll(rows);
const ask = (content: string): { model: string; messages: { role: 'user'; content: string }[] } => ({
  model: MODEL,
  messages: [{ role: 'user', content }],
});

const TOOL = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
} as const;

describe('chat', () => {
  it('answers by the last message, else repeats it, and its usage adds up', async () => {
    rules({ when: { message: '*weather*' }, reply: 'It rains.' });
    const openai = connect();
    const answer = await openai.chat.completions.create(ask('How is the Weather today?'));
    expect(answer.choices).toMatchObject([
      { message: { role: 'assistant', content: 'It rains.' }, finish_reason: 'stop' },
    ]);
    const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = answer.usage ?? {};
    expect(input).toBeGreaterThan(3);
    expect(total).toBe((input ?? 0) + (output ?? 0));
    const other = await openai.chat.completions.create(ask('hello'));
    expect(other.choices[0]?.message.content).toBe('This is a mocked answer to: hello');
  });

  it('stops at a limit of tokens, and at a word', async () => {
    rules({ reply: 'one two three four' });
    const openai = connect();
    const short = await openai.chat.completions.create({ ...ask('x'), max_completion_tokens: 2 });
    expect(short).toMatchObject({
      choices: [{ finish_reason: 'length', message: { content: 'one two' } }],
      usage: { completion_tokens: 2 },
    });
    const stopped = await openai.chat.completions.create({ ...ask('x'), stop: ' three' });
    expect(stopped.choices[0]?.message.content).toBe('one two');
  });

  it('streams token by token, with the usage at the end', async () => {
    rules({ reply: 'one two three' });
    const stream = await connect().chat.completions.create({
      ...ask('x'),
      stream: true,
      stream_options: { include_usage: true },
    });
    const texts: string[] = [];
    let total = 0;
    for await (const chunk of stream) {
      const text = chunk.choices[0]?.delta.content;
      if (text) texts.push(text);
      total = chunk.usage?.total_tokens ?? total;
    }
    expect(texts).toEqual(['one', ' two', ' thre', 'e']);
    expect(total).toBe(5);
  });

  it('streams at the pace of its rule, by the clock', async () => {
    rules({ reply: { text: 'one two', first: '1h', token: { fixed: '1h' } } });
    backlot.clock.freeze(true);
    const stream = await connect().chat.completions.create({ ...ask('x'), stream: true });
    const texts: string[] = [];
    const reading = (async () => {
      for await (const chunk of stream)
        if (chunk.choices[0]?.delta.content) texts.push(chunk.choices[0].delta.content);
    })();
    expect(texts).toEqual([]);
    await backlot.clock.advance(3_600_000);
    while (texts.length < 1) await new Promise((resolve) => setImmediate(resolve));
    expect(texts).toEqual(['one']);
    await backlot.clock.advance(3_600_000);
    await reading;
    expect(texts).toEqual(['one', ' two']);
  });

  it('goes through a script with a tool, in a stream as well', async () => {
    rules(
      { when: { tool: 'get_weather' }, reply: 'It rains in Bern.' },
      { when: { message: '*bern*' }, reply: { tools: [{ name: 'get_weather', input: { city: 'Bern' } }] } },
    );
    const openai = connect();
    const first = await openai.chat.completions.create({ ...ask('Rain in Bern?'), tools: [TOOL] });
    const [choice] = first.choices;
    expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
    const call = choice?.message.tool_calls?.[0];
    expect(call).toMatchObject({
      type: 'function',
      function: { name: 'get_weather', arguments: '{"city":"Bern"}' },
    });
    const second = await openai.chat.completions.create({
      model: MODEL,
      tools: [TOOL],
      messages: [
        { role: 'user', content: 'Rain in Bern?' },
        choice?.message ?? { role: 'assistant', content: '' },
        { role: 'tool', tool_call_id: call?.id ?? '', content: '{"rain": true}' },
      ],
    });
    expect(second.choices[0]?.message.content).toBe('It rains in Bern.');
    const streamed = await openai.chat.completions
      .stream({ ...ask('Rain in Bern?'), tools: [TOOL] })
      .finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { name: 'get_weather', arguments: '{"city":"Bern"}' },
    });
    const ran = await openai.chat.completions
      .runTools({
        ...ask('Rain in Bern?'),
        tools: [
          {
            ...TOOL,
            function: {
              ...TOOL.function,
              parse: JSON.parse,
              function: ({ city }: { city: string }) => `rain in ${city}`,
              description: 'x',
            },
          },
        ],
      } as never)
      .finalContent();
    expect(ran).toBe('It rains in Bern.');
  });

  it('calls a tool that it must call, with what its schema accepts', async () => {
    const answer = await connect().chat.completions.create({
      ...ask('x'),
      tools: [TOOL],
      tool_choice: 'required',
    });
    const [call] = answer.choices[0]?.message.tool_calls ?? [];
    expect(call).toMatchObject({ function: { name: 'get_weather', arguments: '{"city":"text"}' } });
  });

  it('gives an object of the schema that is asked for', async () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        age: { type: 'integer', minimum: 18 },
        tags: { type: 'array', items: { enum: ['a', 'b'] } },
      },
    };
    const answer = await connect().chat.completions.create({
      ...ask('x'),
      response_format: { type: 'json_schema', json_schema: { name: 'person', schema } },
    });
    expect(JSON.parse(answer.choices[0]?.message.content ?? '')).toEqual({
      name: 'text',
      age: 18,
      tags: ['a'],
    });
  });

  it('refuses, filters and fails as its rules say', async () => {
    rules(
      { when: { message: 'refuse' }, reply: { refusal: 'I cannot help with that.' } },
      { when: { message: 'filter' }, reply: { text: 'He', finish: 'filter' } },
      { when: { message: 'fail' }, reply: { error: { status: 503, message: 'Overloaded' } } },
    );
    const openai = connect();
    expect((await openai.chat.completions.create(ask('refuse'))).choices[0]?.message).toMatchObject({
      content: null,
      refusal: 'I cannot help with that.',
    });
    expect((await openai.chat.completions.create(ask('filter'))).choices[0]?.finish_reason).toBe(
      'content_filter',
    );
    expect(await failure(openai.chat.completions.create(ask('fail')))).toMatchObject({ status: 503 });
  });

  it('breaks a stream in the middle', async () => {
    rules({ reply: { text: 'one two three', break_after: 2 } });
    const stream = await connect().chat.completions.create({ ...ask('x'), stream: true });
    const texts: string[] = [];
    const error = await failure(
      (async () => {
        for await (const chunk of stream)
          if (chunk.choices[0]?.delta.content) texts.push(chunk.choices[0].delta.content);
      })(),
    );
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect(texts).toEqual(['one', ' two']);
  });

  it.each([
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'tool', tool_call_id: 'none', content: 'x' }] }, 'messages[0].role'],
    [{ n: 0 }, 'n'],
  ])('is refused for %j', async (change, param) => {
    const error = await failure(connect().chat.completions.create({ ...ask('x'), ...change } as never));
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ param });
  });
});

describe('responses', () => {
  it('are made, kept, gone on with, and deleted', async () => {
    rules({ when: { message: 'and now?' }, reply: 'Still rain.' }, { reply: 'It rains.' });
    const openai = connect();
    const first = await openai.responses.create({
      model: MODEL,
      input: 'weather?',
      instructions: 'Be short.',
    });
    expect(first).toMatchObject({ status: 'completed', output_text: 'It rains.' });
    expect(first.usage?.total_tokens).toBe(
      (first.usage?.input_tokens ?? 0) + (first.usage?.output_tokens ?? 0),
    );
    const second = await openai.responses.create({
      model: MODEL,
      input: 'and now?',
      previous_response_id: first.id,
    });
    expect(second.output_text).toBe('Still rain.');
    expect(second.usage?.input_tokens).toBeGreaterThan(first.usage?.output_tokens ?? 99);
    expect((await openai.responses.retrieve(first.id)).id).toBe(first.id);
    await openai.responses.delete(first.id);
    expect(await failure(openai.responses.retrieve(first.id))).toBeInstanceOf(OpenAI.NotFoundError);
  });

  it('stream their events', async () => {
    rules({ reply: 'one two' });
    const types: string[] = [];
    let text = '';
    const stream = await connect().responses.create({ model: MODEL, input: 'x', stream: true });
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === 'response.output_text.delta') text += event.delta;
      if (event.type === 'response.completed') expect(event.response.usage?.output_tokens).toBe(2);
    }
    expect(text).toBe('one two');
    expect(types[0]).toBe('response.created');
    expect(types.at(-1)).toBe('response.completed');
    const final = await connect().responses.stream({ model: MODEL, input: 'x' }).finalResponse();
    expect(final.output_text).toBe('one two');
  });

  it('call tools and take their results', async () => {
    rules(
      { when: { tool: 'get_weather' }, reply: 'It rains.' },
      { reply: { tools: [{ name: 'get_weather', input: { city: 'Bern' } }] } },
    );
    const openai = connect();
    const tools = [
      { type: 'function', name: 'get_weather', parameters: TOOL.function.parameters, strict: false },
    ] as const;
    const first = await openai.responses.create({ model: MODEL, input: 'x', tools: [...tools] });
    const [call] = first.output;
    expect(call).toMatchObject({ type: 'function_call', name: 'get_weather', arguments: '{"city":"Bern"}' });
    const callId = call?.type === 'function_call' ? call.call_id : '';
    const second = await openai.responses.create({
      model: MODEL,
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: callId, output: 'rain' }],
    });
    expect(second.output_text).toBe('It rains.');
  });
});

describe('embeddings', () => {
  it('follow from the text: the same for the same, nearer for what shares words', async () => {
    const openai = connect();
    const { data, usage } = await openai.embeddings.create({
      model: 'text-embedding-3-small',
      input: ['red tea cup', 'red tea pot', 'a stormy night', 'red tea cup'],
    });
    const [cup = [], pot = [], night = [], again = []] = data.map(({ embedding }) => embedding);
    const near = (a: number[], b: number[]): number =>
      a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
    expect(cup).toHaveLength(1536);
    expect(again).toEqual(cup);
    expect(near(cup, cup)).toBeCloseTo(1, 4);
    expect(near(cup, pot)).toBeGreaterThan(near(cup, night) + 0.3);
    expect(usage.total_tokens).toBeGreaterThan(4);
    const short = await openai.embeddings.create({
      model: 'text-embedding-3-large',
      input: 'x',
      dimensions: 8,
    });
    expect(short.data[0]?.embedding).toHaveLength(8);
    expect(
      await failure(
        openai.embeddings.create({ model: 'text-embedding-3-small', input: 'x', dimensions: 9999 }),
      ),
    ).toMatchObject({ param: 'dimensions' });
  });
});

describe('images, speech and files', () => {
  it('pictures are PNG, in the answer or by a link', async () => {
    const openai = connect();
    const made = await openai.images.generate({ model: 'gpt-image-1', prompt: 'a cup', size: '1536x1024' });
    const bytes = Buffer.from(made.data?.[0]?.b64_json ?? '', 'base64');
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1536, 1024]);
    const linked = await openai.images.generate({ model: 'dall-e-3', prompt: 'a cup' });
    const response = await fetch(linked.data?.[0]?.url ?? '');
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(await failure(openai.images.generate({ prompt: 'x', size: '1x1' }))).toMatchObject({
      param: 'size',
    });
  });

  it('speech is sound', async () => {
    const openai = connect();
    const wav = Buffer.from(
      await (
        await openai.audio.speech.create({
          model: 'tts-1',
          voice: 'alloy',
          input: 'hello',
          response_format: 'wav',
        })
      ).arrayBuffer(),
    );
    expect(wav.subarray(0, 4).toString()).toBe('RIFF');
    expect(wav.readUInt32LE(4)).toBe(wav.length - 8);
    const mp3 = Buffer.from(
      await (
        await openai.audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'hello' })
      ).arrayBuffer(),
    );
    expect(mp3.readUInt16BE(0)).toBe(0xfffb);
    expect(mp3.length % 417).toBe(0);
  });

  it('files are kept with their bytes', async () => {
    const openai = connect();
    const bytes = Buffer.from([0, 255, 1, 254, 10]);
    const file = await openai.files.create({ file: await toFile(bytes, 'a.bin'), purpose: 'user_data' });
    expect(file).toMatchObject({
      object: 'file',
      filename: 'a.bin',
      bytes: 5,
      purpose: 'user_data',
      status: 'processed',
    });
    const content = await openai.files.content(file.id);
    expect(Buffer.from(await content.arrayBuffer())).toEqual(bytes);
    const text = await openai.files.create({
      file: await toFile(Buffer.from('{"a": 1}\n'), 'a.jsonl'),
      purpose: 'batch',
    });
    expect(await (await openai.files.content(text.id)).text()).toBe('{"a": 1}\n');
    const names: string[] = [];
    for await (const { filename } of openai.files.list({ limit: 1 })) names.push(filename);
    expect(names).toEqual(['a.jsonl', 'a.bin']);
    expect(await openai.files.delete(file.id)).toMatchObject({ deleted: true });
    expect(await failure(openai.files.retrieve(file.id))).toBeInstanceOf(OpenAI.NotFoundError);
  });
});

describe('models, keys and scenarios', () => {
  it('models are listed, and one that is not there is refused', async () => {
    const openai = connect();
    const ids: string[] = [];
    for await (const { id } of openai.models.list()) ids.push(id);
    expect(ids).toContain(MODEL);
    expect(await failure(openai.chat.completions.create({ ...ask('x'), model: 'gpt-0' }))).toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
    expect(await failure(connect('sk-invalid').models.list())).toBeInstanceOf(OpenAI.AuthenticationError);
  });

  it.each([
    ['rate-limited', OpenAI.RateLimitError],
    ['quota', OpenAI.RateLimitError],
    ['outage', OpenAI.InternalServerError],
    ['wrong-key', OpenAI.AuthenticationError],
    ['content-filter', OpenAI.BadRequestError],
  ])('%s answers so', async (name, kind) => {
    backlot.scenarios.activate(`openai:${name}`);
    expect(await failure(connect().chat.completions.create(ask('x')))).toBeInstanceOf(kind);
  });

  it('broken-stream breaks streams in the middle, and no other answer', async () => {
    rules({ reply: 'one two three' });
    backlot.scenarios.activate('openai:broken-stream');
    const openai = connect();
    const texts: string[] = [];
    const error = await failure(
      (async () => {
        for await (const { choices } of await openai.chat.completions.create({ ...ask('x'), stream: true }))
          if (choices[0]?.delta.content) texts.push(choices[0].delta.content);
      })(),
    );
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect(texts).toEqual(['one', ' two']);
    const types: string[] = [];
    await failure(
      (async () => {
        for await (const { type } of await openai.responses.create({
          model: MODEL,
          input: 'x',
          stream: true,
        }))
          types.push(type);
      })(),
    );
    expect(types.filter((type) => type === 'response.output_text.delta')).toHaveLength(2);
    expect(types).not.toContain('response.completed');
    expect((await openai.chat.completions.create(ask('x'))).choices[0]?.message.content).toBe(
      'one two three',
    );
  });

  it('slow lets the SDK give up', async () => {
    backlot.clock.freeze(true);
    backlot.scenarios.activate('openai:slow');
    const { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey } = backlot.env;
    const openai = new OpenAI({ apiKey, baseURL, maxRetries: 0, timeout: 50 });
    expect(await failure(openai.chat.completions.create(ask('x')))).toBeInstanceOf(OpenAI.APIConnectionError);
  });

  it('a path that is not known names those that are', async () => {
    await expect(connect().fineTuning.jobs.list()).rejects.toThrow(/Invalid URL.*\/v1\/chat\/completions/);
  });
});
