import { SearchError, conflict, illegal, noIndex } from './errors.mjs';
import { checkMappings, learn, mergeMappings } from './mappings.mjs';
import { isLike } from './queries.mjs';

const NAME = /^(?![-_+.])[^\s"*\\<>|,/?#A-Z:]{1,255}$/;
const MAX_ID = 512;

/** The collections of the service, with what each call needs of them. */
export class Store {
  #context;

  constructor(context, { late = false } = {}) {
    this.#context = context;
    /** Whether searches see changes only after a refresh. */
    this.late = late;
    const of = (name) => context.collection(`elasticsearch:${name}`);
    this.indices = of('indices');
    /** By `index/id`, with the document in `source`. */
    this.documents = of('documents');
    this.templates = of('templates');
    this.contexts = of('contexts');
    this.deleted = of('deleted');
  }

  get now() {
    return this.#context.clock.now();
  }

  get vars() {
    return this.#context.vars.elasticsearch;
  }

  newId(length = 20) {
    return this.#context.random.string(length);
  }

  /** All names of indices: those that were made, and those that rows of documents are of. */
  names() {
    const names = new Set(this.indices.list().map(({ id }) => id));
    for (const { id } of this.documents.values()) names.add(id.slice(0, id.indexOf('/')));
    return [...names].sort();
  }

  index(name) {
    return this.indices.has(name) ? this.indices.get(name) : undefined;
  }

  /** The index of a name for one document: itself, or that of an alias. */
  writable(name) {
    if (this.indices.has(name)) return name;
    const behind = this.indices.list().filter(({ aliases = {} }) => Object.hasOwn(aliases, name));
    if (behind.length === 0) return name;
    const chosen =
      behind.length === 1 ? behind[0] : behind.find(({ aliases }) => aliases[name].is_write_index === true);
    if (chosen === undefined)
      throw illegal(
        `no write index is defined for alias [${name}]. The write index may be explicitly disabled using is_write_index=false or the alias points to multiple indices without one being designated as a write index`,
      );
    return chosen.id;
  }

  /**
   * The indices of names with commas, `*` and aliases.
   *
   * @throws SearchError 404 for a plain name that there is not, unless `ignore` is set
   */
  resolve(text, { ignore = false } = {}) {
    const names = this.names();
    const wanted = text === undefined || text === '' || text === '_all' ? ['*'] : text.split(',');
    const found = new Set();
    for (const one of wanted) {
      const isOut = one.startsWith('-');
      const pattern = isOut ? one.slice(1) : one;
      const hits = names.filter((name) => {
        const aliases = Object.keys(this.index(name)?.aliases ?? {});
        return [name, ...aliases].some(
          (each) => each === pattern || (pattern.includes('*') && isLike(each, pattern)),
        );
      });
      if (hits.length === 0 && !pattern.includes('*') && !ignore) throw noIndex(one);
      for (const name of hits)
        if (isOut) found.delete(name);
        else found.add(name);
    }
    return [...found];
  }

  mappings(name) {
    const row = this.index(name);
    return row?.mappings ?? this.#learned(name);
  }

  /** The mappings of an index whose documents are rows of a configuration. */
  #learned(name) {
    let mappings = {};
    for (const { id, source } of this.documents.values())
      if (id.startsWith(`${name}/`)) mappings = learn(mappings, source, id);
    this.indices.create({ id: name, mappings, settings: {}, aliases: {}, created: this.now });
    return mappings;
  }

  createIndex(name, { mappings = {}, settings = {}, aliases = {} } = {}) {
    if (!NAME.test(name) || name === '.' || name === '..')
      throw new SearchError(
        400,
        'invalid_index_name_exception',
        `Invalid index name [${name}], must be lowercase, and must not contain spaces, commas or any of "*\\<>|/?# or begin with -, _, + or .`,
        { index: name },
      );
    if (this.names().includes(name))
      throw new SearchError(
        400,
        'resource_already_exists_exception',
        `index [${name}/backlot] already exists`,
        { index: name },
      );
    checkMappings(mappings);
    let made = { mappings: {}, settings: {}, aliases: {} };
    for (const { template } of this.#templatesOf(name)) made = layered(made, template ?? {});
    return this.indices.create({
      id: name,
      ...layered(made, { mappings, settings: flat(settings), aliases }),
      created: this.now,
    });
  }

  #templatesOf(name) {
    return this.templates
      .list()
      .filter(({ index_patterns: patterns }) => patterns.some((pattern) => isLike(name, pattern)))
      .sort((a, b) => (a.priority ?? 0) - (b.priority ?? 0))
      .slice(-1);
  }

  removeIndex(name) {
    for (const { id } of this.documents.list()) if (id.startsWith(`${name}/`)) this.documents.remove(id);
    if (this.indices.has(name)) this.indices.remove(name);
  }

  /** The rows of an index, as searches see them. */
  *rowsOf(names) {
    const wanted = new Set(names);
    for (const row of this.documents.values()) {
      const slash = row.id.indexOf('/');
      const index = row.id.slice(0, slash);
      if (!wanted.has(index)) continue;
      const shown = this.#isHidden(row, index) ? row.prior : row.source;
      if (shown !== undefined) yield { row, index, id: row.id.slice(slash + 1), source: shown };
    }
    if (!this.late) return;
    for (const row of this.deleted.values()) {
      const slash = row.key.indexOf('/');
      const index = row.key.slice(0, slash);
      if (wanted.has(index) && !this.documents.has(row.key) && this.#isHidden(row, index))
        yield { row, index, id: row.key.slice(slash + 1), source: row.source };
    }
  }

  /** Whether searches do not see yet what was written. */
  #isHidden({ seq = 0, written = 0 }, index) {
    if (!this.late || seq <= (this.index(index)?.refreshed ?? -1)) return false;
    return written > this.now - 1000 * Number(this.vars.refresh_interval ?? 1);
  }

  get(index, id) {
    const key = `${index}/${id}`;
    return this.documents.has(key) ? this.documents.get(key) : undefined;
  }

  #next(index) {
    const row = this.index(index);
    const seq = (row?.seq ?? -1) + 1;
    this.indices.update(index, { seq });
    return seq;
  }

  /**
   * Writes a document.
   *
   * @param options - the parameters of the call: `if_seq_no`, `if_primary_term`, `version`, `version_type`, `op_type`
   */
  put(given, id, source, options = {}) {
    const index = this.writable(given);
    if (typeof source !== 'object' || source === null || Array.isArray(source))
      throw new SearchError(
        400,
        'document_parsing_exception',
        '[1:1] failed to parse: the document must be an object',
      );
    if (Buffer.byteLength(id) > MAX_ID || id === '')
      throw illegal(`id [${id}] must have 1 to ${MAX_ID} bytes, but was: ${Buffer.byteLength(id)}`);
    const before = this.get(index, id);
    this.#check(index, id, before, options);
    if (options.op_type === 'create' && before !== undefined)
      throw conflict(id, index, `document already exists (current version [${before.version ?? 1}])`);
    if (!this.indices.has(index) && !this.names().includes(index)) this.createIndex(index);
    const mappings = this.mappings(index);
    const learned = learn(mappings, source, id);
    if (learned !== mappings) this.indices.update(index, { mappings: learned });
    const version = options.version_type?.startsWith('external')
      ? Number(options.version)
      : (before?.version ?? (before ? 1 : 0)) + 1;
    const key = `${index}/${id}`;
    const seq = this.#next(index);
    const row = {
      id: key,
      source,
      version,
      seq,
      written: this.now,
      ...(options.routing !== undefined && { routing: options.routing }),
      ...(this.late &&
        before !== undefined && { prior: this.#isHidden(before, index) ? before.prior : before.source }),
    };
    if (before === undefined) this.documents.create(row);
    else this.documents.replace(key, row);
    return { index, version, seq, result: before === undefined ? 'created' : 'updated' };
  }

  remove(given, id, options = {}) {
    const index = this.writable(given);
    const before = this.get(index, id);
    this.#check(index, id, before, options);
    if (before === undefined) {
      if (!this.names().includes(index)) throw noIndex(index);
      return { index, version: 1, seq: this.index(index)?.seq ?? 0, result: 'not_found' };
    }
    const key = `${index}/${id}`;
    this.mappings(index);
    const seq = this.#next(index);
    this.documents.remove(key);
    if (this.late)
      this.deleted.create({ id: `${key}?${seq}`, key, seq, source: before.source, written: this.now });
    return { index, version: (before.version ?? 1) + 1, seq, result: 'deleted' };
  }

  #check(index, id, before, { if_seq_no: seq, if_primary_term: term, version, version_type: kind }) {
    if ((seq === undefined) !== (term === undefined))
      throw new SearchError(
        400,
        'action_request_validation_exception',
        'Validation Failed: 1: ifSeqNo is set, but primary term is [0];',
      );
    if (
      seq !== undefined &&
      (before === undefined || Number(seq) !== (before.seq ?? 0) || Number(term) !== 1)
    )
      throw conflict(
        id,
        index,
        `required seqNo [${seq}], primary term [${term}]. ${before === undefined ? 'but no document was found' : `current document has seqNo [${before.seq ?? 0}] and primary term [1]`}`,
      );
    if (version === undefined || before === undefined) return;
    const current = before.version ?? 1;
    const isOk = kind === 'external_gte' ? Number(version) >= current : Number(version) > current;
    if (!kind?.startsWith('external'))
      throw illegal(
        'internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and `if_primary_term` instead',
      );
    if (!isOk)
      throw conflict(
        id,
        index,
        `current version [${current}] is higher or equal to the one provided [${version}]`,
      );
  }

  /** Makes searches see all changes. */
  refresh(names) {
    for (const name of names) {
      this.mappings(name);
      const { seq = 0 } = this.index(name);
      this.indices.update(name, { refreshed: seq });
    }
    for (const { id, key } of this.deleted.list())
      if (names.includes(key.slice(0, key.indexOf('/')))) this.deleted.remove(id);
  }
}

function layered(under, { mappings = {}, settings = {}, aliases = {} }) {
  return {
    mappings: mergeMappings(under.mappings, mappings),
    settings: { ...under.settings, ...flat(settings) },
    aliases: { ...under.aliases, ...aliases },
  };
}

/** Settings without `index` in front. */
export function flat(settings) {
  const { index, ...rest } = settings;
  const all = { ...rest, ...(typeof index === 'object' && index !== null ? index : {}) };
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [name.replace(/^index\./, ''), value]),
  );
}
