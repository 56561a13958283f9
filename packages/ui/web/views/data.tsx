import type { JSX } from 'preact';
import { change, place } from '../lib/address.js';
import { allSchemas, running } from '../lib/kinds.js';
import { sectionsOf } from '../lib/sections.js';
import { Failed } from '../parts/empty.js';
import { KindTabs } from '../parts/kind-tabs.js';
import { useAsync } from '../parts/use-async.js';
import { Collections } from './collections.js';
import { SectionView } from './data-section.js';

/** What services hold: keys, queues, files, entries of a directory, and the collections of all. */
export function Data(): JSX.Element {
  const { params } = place.value;
  const names = running.value.map(({ protocol }) => protocol).join();
  const { value, error } = useAsync(() => allSchemas(), [names]);
  if (error !== undefined) return <Failed error={error} />;
  if (value === undefined) return <p class="quiet loading">...</p>;
  const kinds = value
    .map((kind) => ({ ...kind, data: sectionsOf(kind) }))
    .filter(({ data }) => data.length > 0);
  const chosen =
    params['kind'] === undefined ? kinds[0] : kinds.find(({ protocol }) => protocol === params['kind']);
  const section = chosen?.data.find((each) => each.section === params['section']) ?? chosen?.data[0];
  return (
    <div class="view">
      <div class="kinds-line">
        <KindTabs
          kinds={kinds.map(({ protocol }) => ({ kind: protocol }))}
          chosen={chosen?.protocol ?? ''}
          onChoose={(kind) => change({ kind, section: undefined, id: undefined })}
        />
        <button
          type="button"
          class="kind-tab"
          aria-pressed={chosen === undefined}
          onClick={() => change({ kind: 'collections', section: undefined, id: undefined })}
        >
          Collections
        </button>
      </div>
      {chosen === undefined || section === undefined ? (
        <Collections />
      ) : (
        <>
          {chosen.data.length < 2 ? null : (
            <div class="forms pad" role="group" aria-label="Sections">
              {chosen.data.map(({ section: name }) => (
                <button
                  key={name}
                  type="button"
                  class="tab"
                  aria-pressed={name === section.section}
                  onClick={() => change({ section: name, id: undefined })}
                >
                  {name}
                </button>
              ))}
            </div>
          )}
          <SectionView key={section.path} schema={chosen} section={section} />
        </>
      )}
    </div>
  );
}
