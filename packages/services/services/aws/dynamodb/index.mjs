import { batchOperations } from './batches.mjs';
import { itemOperations } from './items.mjs';
import { searchOperations } from './search.mjs';
import { tableOperations } from './tables.mjs';

export const operations = {
  ...tableOperations,
  ...itemOperations,
  ...searchOperations,
  ...batchOperations,
};
