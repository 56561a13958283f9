export { compileSubject, type CompiledSubject } from './wildcards/compile-subject.js';
export { WildcardIndex } from './wildcards/wildcard-index.js';
export { WildcardNames, type WildcardHints } from './wildcards/wildcard-names.js';
export type { WildcardSyntax } from './wildcards/wildcard-syntax.js';
