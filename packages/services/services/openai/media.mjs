import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { countTokens } from '../../llm/index.mjs';
import { invalid, modelOf, operation, OpenAIError, seconds } from './api.mjs';

const SIZES = ['256x256', '512x512', '1024x1024', '1536x1024', '1024x1536', '1792x1024', '1024x1792'];
const MAX_IMAGES = 10;
const MAX_INPUT = 4096;

export const generate = operation(({ body, request, context }) => {
  const { model = 'gpt-image-1', prompt, n = 1, response_format: format } = body;
  modelOf(context, { model });
  if (typeof prompt !== 'string' || prompt === '')
    throw invalid("Missing required parameter: 'prompt'.", 'prompt', 'missing_required_parameter');
  const size = body.size === undefined || body.size === 'auto' ? '1024x1024' : body.size;
  if (!SIZES.includes(size))
    throw invalid(
      `Invalid value: '${String(size)}'. Supported values are: ${SIZES.map((one) => `'${one}'`).join(', ')}.`,
      'size',
    );
  if (!Number.isInteger(n) || n < 1 || n > MAX_IMAGES)
    throw invalid(
      `Invalid 'n': expected a whole number from 1 to ${MAX_IMAGES}, but got ${String(n)} instead.`,
      'n',
    );
  const isLink = format === 'url' || (format === undefined && model.startsWith('dall-e'));
  const data = Array.from({ length: n }, (_, index) => {
    if (!isLink) return { b64_json: picture(`${prompt} ${index}`, size).toString('base64') };
    const { id } = context.collection('openai:images').create({ prompt: `${prompt} ${index}`, size });
    return { url: `${request.scheme}://${request.host}/openai/images/${id}.png`, revised_prompt: prompt };
  });
  const input = countTokens(prompt);
  const details = { text_tokens: input, image_tokens: 0 };
  const usage = {
    input_tokens: input,
    input_tokens_details: details,
    output_tokens: 1056 * n,
    total_tokens: input + 1056 * n,
  };
  return { created: seconds(context), data, usage };
});

/** The picture that the link of an answer leads to. */
export function image({ params }, { collection }) {
  const rows = collection('openai:images');
  const id = params.file.replace(/\.png$/, '');
  if (!rows.has(id)) return { status: 404, body: `there is no picture ${id}` };
  const { prompt, size } = rows.get(id);
  return { headers: { 'Content-Type': 'image/png' }, body: picture(prompt, size) };
}

/** A PNG (RFC 2083) of one colour, which follows from the text. */
function picture(text, size) {
  const [width, height] = size.split('x').map(Number);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // One bit a point, of a palette.
  header.set([1, 3, 0, 0, 0], 8);
  const colour = createHash('sha256').update(text).digest().subarray(0, 3);
  const rows = Buffer.alloc((Math.ceil(width / 8) + 1) * height);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    ...[
      ['IHDR', header],
      ['PLTE', colour],
      ['IDAT', deflateSync(rows)],
      ['IEND', Buffer.alloc(0)],
    ].map(([name, data]) => chunk(name, data)),
  ]);
}

function chunk(name, data) {
  const named = Buffer.concat([Buffer.from(name), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

const RATE = 24_000;
/** Seconds of speech for a letter. */
const PER_LETTER = 0.06;

export const speak = operation(({ body, context }) => {
  const { model, input, voice, response_format: format = 'mp3' } = body;
  modelOf(context, { model });
  if (typeof input !== 'string' || input === '')
    throw invalid("Missing required parameter: 'input'.", 'input', 'missing_required_parameter');
  if (input.length > MAX_INPUT)
    throw invalid(
      `Invalid 'input': string too long. Expected at most ${MAX_INPUT} characters, but got ${input.length} instead.`,
      'input',
      'string_too_long',
    );
  if (voice === undefined)
    throw invalid("Missing required parameter: 'voice'.", 'voice', 'missing_required_parameter');
  const sound = SOUNDS[format];
  if (sound === undefined)
    throw invalid(
      `The format '${String(format)}' is not mocked; these are: ${Object.keys(SOUNDS).join(', ')}.`,
      'response_format',
    );
  const [type, make] = sound;
  return {
    response: {
      headers: { 'Content-Type': type },
      body: make(input.length * PER_LETTER),
    },
  };
});

const SOUNDS = { mp3: ['audio/mpeg', mp3], wav: ['audio/wav', wav], pcm: ['audio/pcm', pcm] };

/** A tone of 16 bits a point. */
function pcm(duration) {
  const points = Math.ceil(duration * RATE);
  const bytes = Buffer.alloc(points * 2);
  for (let at = 0; at < points; at += 1)
    bytes.writeInt16LE(Math.round(8000 * Math.sin((at / RATE) * 2 * Math.PI * 220)), at * 2);
  return bytes;
}

function wav(duration) {
  const data = pcm(duration);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

/** Silence: frames of MPEG-1 layer III, 128 kbit/s at 44.1 kHz, each of 1152 points, with nothing in them. */
function mp3(duration) {
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfb, 0x90, 0x64]);
  return Buffer.concat(Array.from({ length: Math.ceil((duration * 44_100) / 1152) }, () => frame));
}

export const upload = operation(({ request, context }) => {
  const { file, purpose } = request.parts ?? {};
  if (file?.filename === undefined)
    throw invalid("Missing required parameter: 'file'.", 'file', 'missing_required_parameter');
  if (typeof purpose?.body !== 'string')
    throw invalid("Missing required parameter: 'purpose'.", 'purpose', 'missing_required_parameter');
  const content = bytesOf(file.body);
  const row = {
    filename: file.filename,
    bytes: content.length,
    purpose: purpose.body,
    content: content.toString('base64'),
  };
  return shown(context.collection('openai:files').create(row));
});

function bytesOf(body) {
  if (typeof body === 'string') return Buffer.from(body);
  return body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(JSON.stringify(body ?? ''));
}

function shown({ content: _, ...file }) {
  return file;
}

function find({ collection }, id) {
  const rows = collection('openai:files');
  if (rows.has(id)) return rows.get(id);
  throw new OpenAIError(404, `No such File object: ${id}`, { param: 'id' });
}

export const listFiles = operation(({ request, context }) => {
  const { purpose, limit = '10000', after } = request.query;
  const all = context.collection('openai:files').list();
  const rows = [...all].reverse().filter((row) => purpose === undefined || row.purpose === purpose);
  const start = after === undefined ? 0 : rows.findIndex(({ id }) => id === after) + 1;
  const data = rows.slice(start, start + Number(limit)).map(shown);
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  return { object: 'list', data, ...ends, has_more: start + data.length < rows.length };
});

export const retrieveFile = operation(({ request, context }) => shown(find(context, request.params.id)));

export const readFile = operation(({ request, context }) => {
  const { content } = find(context, request.params.id);
  return { response: { headers: { 'Content-Type': 'application/octet-stream' }, body_base64: content } };
});

export const removeFile = operation(({ request, context }) => {
  const { id } = find(context, request.params.id);
  context.collection('openai:files').remove(id);
  return { id, object: 'file', deleted: true };
});
