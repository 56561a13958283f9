import { badRequest, unsupported } from './status.mjs';

/** Whether a parameter is true, in all the ways in which clients say so. */
export const isTrue = (text) => ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text);

/** The body of a request: JSON, or YAML, which JSON is as well. */
export async function bodyOf({ request }, isOptional = false) {
  const { raw_body: raw } = request;
  if (raw === undefined || raw.length === 0) {
    if (isOptional) return undefined;
    throw badRequest('the request must have a body');
  }
  const type = String(request.headers['content-type'] ?? '');
  if (typeof raw !== 'string' || /protobuf|cbor/.test(type)) throw unsupported(type || 'bytes');
  try {
    return JSON.parse(raw);
  } catch {
    if (!type.includes('yaml')) throw badRequest(`the body of the request is no JSON: ${raw.slice(0, 100)}`);
  }
  const { parse } = await import('yaml');
  try {
    return parse(raw);
  } catch (error) {
    throw badRequest(`the body of the request is no YAML: ${error.message}`);
  }
}
