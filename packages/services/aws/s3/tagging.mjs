import { listOf } from '../xml.mjs';
import { S3Error, invalidArgument, malformedXml } from './errors.mjs';

const MAX_KEY = 128;
const MAX_VALUE = 256;

function invalidTag(message) {
  return new S3Error(400, 'InvalidTag', message);
}

function checked(pairs, limit) {
  if (pairs.length > limit)
    throw new S3Error(400, 'BadRequest', `Object tags cannot be greater than ${limit}`);
  const tags = new Map();
  for (const [key, value] of pairs) {
    if (key === '' || key.length > MAX_KEY) throw invalidTag('The TagKey you have provided is invalid');
    if (value.length > MAX_VALUE) throw invalidTag('The TagValue you have provided is invalid');
    if (tags.has(key)) throw invalidTag('Cannot provide multiple Tags with the same key');
    tags.set(key, value);
  }
  return Object.fromEntries(tags);
}

/** The tags of a header, which are written as a query. */
export function tagsOfHeader(text) {
  if (text === undefined) return {};
  const pairs = [...new URLSearchParams(text)];
  if (pairs.some(([key]) => key === ''))
    throw invalidArgument(
      'x-amz-tagging',
      text,
      "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates.",
    );
  return checked(pairs, 10);
}

/** The tags of a body. */
export function parseTags({ xml }, limit) {
  const set = xml?.Tagging?.TagSet;
  if (set === undefined) throw malformedXml();
  const pairs = listOf(set.Tag).map(({ Key, Value }) => [Key, Value]);
  if (pairs.some(([key, value]) => typeof key !== 'string' || typeof value !== 'string'))
    throw malformedXml();
  return checked(pairs, limit);
}
