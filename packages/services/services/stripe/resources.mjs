/** For each kind of object: what a call may name, what it must, and what a list may be filtered by. */
export const RESOURCES = {
  customers: {
    params:
      'address balance description email invoice_prefix invoice_settings metadata name payment_method phone preferred_locales shipping source tax_exempt',
    filters: 'email',
    events: 'customer',
  },
  products: {
    params:
      'active default_price_data description features id images marketing_features metadata name package_dimensions shippable statement_descriptor tax_code unit_label url default_price',
    required: 'name',
    filters: 'active ids url',
    events: 'product',
  },
  prices: {
    params:
      'active billing_scheme currency lookup_key metadata nickname product product_data recurring tax_behavior tiers tiers_mode transform_quantity unit_amount unit_amount_decimal',
    required: 'currency',
    filters: 'active product type currency lookup_keys',
    events: 'price',
  },
  webhook_endpoints: {
    params: 'url enabled_events description metadata api_version disabled connect',
    required: 'url enabled_events',
  },
};
for (const resource of Object.values(RESOURCES)) {
  for (const part of ['params', 'required', 'filters'])
    resource[part] = (resource[part] ?? '').split(' ').filter(Boolean);
}

/** Which objects an id in a field leads to, by the name of the field; for `expand`. */
export const REFERENCES = {
  customer: 'customers',
  product: 'products',
  default_price: 'prices',
  price: 'prices',
  payment_method: 'payment_methods',
  default_payment_method: 'payment_methods',
  payment_intent: 'payment_intents',
  latest_charge: 'charges',
  charge: 'charges',
  latest_invoice: 'invoices',
  invoice: 'invoices',
  subscription: 'subscriptions',
};
