import { originOf, rowsOf, snowflake } from './api.mjs';

/** The files of a form, which become attachments of a message. */
export function attach({ request, context, body }, channel) {
  const files = Object.values(request.parts ?? []).filter(({ name }) => /^files\[\d+\]$/.test(name ?? ''));
  return files.map((part) => {
    const index = /\d+/.exec(part.name)[0];
    const described = body.attachments?.find((one) => String(one.id) === index) ?? {};
    const { body: given = '', filename = described.filename ?? 'file' } = part;
    const isObject = typeof given === 'object' && !(given instanceof Uint8Array);
    const bytes = Buffer.from(isObject ? JSON.stringify(given) : given);
    const id = snowflake(context);
    const type = part.type ?? 'application/octet-stream';
    rowsOf(context, 'attachments').create({ id, content: bytes.toString('base64'), type });
    const url = `${originOf(request)}/attachments/${channel}/${id}/${encodeURIComponent(filename)}`;
    return {
      id,
      filename,
      size: bytes.length,
      url,
      proxy_url: url,
      content_type: type,
      ...(described.description === undefined ? {} : { description: described.description }),
    };
  });
}

export function download({ params }, context) {
  const rows = rowsOf(context, 'attachments');
  if (!rows.has(params.attachment)) return { status: 404, body: 'This content is no longer available.' };
  const { content, type } = rows.get(params.attachment);
  return { headers: { 'Content-Type': type }, body_base64: content };
}
