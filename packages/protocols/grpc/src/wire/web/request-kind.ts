/** What a request is, by its content type. */
export type RequestKind =
  | { readonly wire: 'grpc-web'; readonly isText: boolean }
  | { readonly wire: 'stream' | 'unary'; readonly isJson: boolean };

/** What is taken beside gRPC itself, for who sends something else. */
export const CONTENT_TYPES = [
  'application/json',
  'application/proto',
  'application/connect+json',
  'application/connect+proto',
  'application/grpc-web',
  'application/grpc-web+proto',
  'application/grpc-web-text',
  'application/grpc-web-text+proto',
] as const;

const KINDS: ReadonlyMap<string, RequestKind> = new Map<string, RequestKind>([
  ['application/json', { wire: 'unary', isJson: true }],
  ['application/proto', { wire: 'unary', isJson: false }],
  ['application/connect+json', { wire: 'stream', isJson: true }],
  ['application/connect+proto', { wire: 'stream', isJson: false }],
  ['application/grpc-web', { wire: 'grpc-web', isText: false }],
  ['application/grpc-web+proto', { wire: 'grpc-web', isText: false }],
  ['application/grpc-web-text', { wire: 'grpc-web', isText: true }],
  ['application/grpc-web-text+proto', { wire: 'grpc-web', isText: true }],
]);

/** Whether a content type is that of gRPC itself. */
export function isGrpc(contentType: string | undefined): boolean {
  return /^application\/grpc(?:$|[+;\s])/i.test(contentType ?? '');
}

/** What a content type stands for; `undefined` when it is none of {@link CONTENT_TYPES}. */
export function kindOf(contentType: string | undefined): RequestKind | undefined {
  const [type = ''] = (contentType ?? '').split(';', 1);
  return KINDS.get(type.trim().toLowerCase());
}
