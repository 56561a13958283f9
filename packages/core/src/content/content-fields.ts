import {
  Type,
  type TArray,
  type TLiteral,
  type TOptional,
  type TSchema,
  type TString,
  type TUnion,
  type TUnknown,
} from '@sinclair/typebox';

/** The annotation of a text field that names the field beside it for a JSON value. */
export const JSON_BESIDE = 'x-json';

/** The annotation of a field with a choice of words that says of other words what they are, and where they belong. */
export const ELSEWHERE = 'x-elsewhere';

/**
 * A choice of words that tells who gives another one what that is.
 *
 * @param options - `elsewhere`: by word, what stands behind the error: a sentence without capital and full stop
 */
export function choiceOf<Words extends readonly string[]>(
  words: Words,
  {
    description,
    elsewhere,
  }: { readonly description: string; readonly elsewhere: Readonly<Record<string, string>> },
): TUnion<{ -readonly [Place in keyof Words]: TLiteral<Words[Place] & string> }> {
  const options = { description, [ELSEWHERE]: elsewhere };
  return Type.Union(
    words.map((word) => Type.Literal(word)),
    options,
  ) as never;
}

/**
 * A field with the text of an answer, which {@link jsonField} and {@link base64Field} stand beside: who gives it an object
 * or a list is told where that belongs.
 */
export function textField(options: {
  readonly description: string;
  readonly default?: string;
  readonly maxLength?: number;
}): TOptional<TString> {
  return Type.Optional(Type.String({ ...options, [JSON_BESIDE]: 'json' }));
}

/**
 * A field with one text or a list of what is sent one after the other, which {@link jsonField} stands beside.
 *
 * @param item - one of the list, where it is no text
 */
export function textsField<Item extends TSchema>(
  item: Item,
  options: { readonly description: string; readonly maxItems: number },
): TOptional<TUnion<[TString, TArray<TUnion<[TString, Item]>>]>> {
  const { description, maxItems } = options;
  const list = Type.Array(Type.Union([Type.String(), item]), { maxItems });
  return Type.Optional(Type.Union([Type.String(), list], { description, [JSON_BESIDE]: 'json' }));
}

/**
 * The field `json`, which stands beside a field with the text of an answer.
 *
 * @param text - the name of that field, such as `body`
 * @param description - what it is, where it is no template
 */
export function jsonField(
  text: string,
  description = `The answer as a JSON value, in place of \`${text}\`; its texts are templates, and one that is a single tag keeps the type of what it inserts.`,
): TOptional<TUnknown> {
  return Type.Optional(Type.Unknown({ description }));
}

/**
 * The field with the bytes of an answer, which stands beside a field with its text and is called as that is, with
 * `_base64` behind.
 *
 * @param text - the name of that field, such as `body`
 * @param description - what it is, where it is no answer
 */
export function base64Field(
  text: string,
  description = `The bytes of the answer in base64, in place of \`${text}\`; they are sent as they are.`,
): TOptional<TString> {
  return Type.Optional(Type.String({ description }));
}
