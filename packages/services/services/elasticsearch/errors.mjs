/** A call that Elasticsearch refuses, as its SDK knows it by the type and the status. */
export class SearchError extends Error {
  /** @param fields - further members of the error, such as `index` */
  constructor(status, type, reason, fields = {}) {
    super(reason);
    this.status = status;
    this.type = type;
    this.fields = fields;
  }

  get body() {
    const own = { type: this.type, reason: this.message, ...this.fields };
    return { error: { root_cause: [own], ...own }, status: this.status };
  }
}

export const illegal = (reason) => new SearchError(400, 'illegal_argument_exception', reason);
export const unparsed = (reason) => new SearchError(400, 'parsing_exception', reason, { line: 1, col: 1 });
export const noIndex = (index) =>
  new SearchError(404, 'index_not_found_exception', `no such index [${index}]`, {
    'resource.type': 'index_or_alias',
    'resource.id': index,
    index_uuid: '_na_',
    index,
  });
export const conflict = (id, index, detail) =>
  new SearchError(409, 'version_conflict_engine_exception', `[${id}]: version conflict, ${detail}`, {
    index_uuid: 'backlot',
    shard: '0',
    index,
  });
