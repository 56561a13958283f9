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
  payment_methods: {
    params: 'type card billing_details metadata allow_redisplay',
    filters: 'customer type',
    events: 'payment_method',
  },
  payment_intents: {
    params:
      'amount currency automatic_payment_methods capture_method confirm confirmation_method customer description metadata off_session payment_method payment_method_options payment_method_types receipt_email return_url setup_future_usage shipping statement_descriptor statement_descriptor_suffix transfer_group',
    filters: 'customer',
  },
  charges: {
    params:
      'amount currency capture customer description metadata receipt_email shipping source statement_descriptor statement_descriptor_suffix transfer_group',
    filters: 'customer payment_intent',
    events: 'charge',
  },
  refunds: {
    params: 'amount charge payment_intent reason metadata',
    filters: 'charge payment_intent',
    events: 'refund',
  },
  subscriptions: {
    params:
      'customer items trial_period_days trial_end payment_behavior default_payment_method cancel_at_period_end collection_method days_until_due description metadata currency',
    filters: 'customer status collection_method',
  },
  invoices: {
    params:
      'customer auto_advance collection_method currency days_until_due description due_date footer metadata pending_invoice_items_behavior',
    filters: 'customer status subscription collection_method',
    events: 'invoice',
  },
  invoiceitems: {
    params: 'customer amount currency description discountable metadata price quantity',
    filters: 'customer invoice',
    events: 'invoiceitem',
  },
  checkout_sessions: {
    params:
      'mode line_items customer customer_email client_reference_id success_url cancel_url return_url ui_mode payment_intent_data payment_method_types metadata expires_at',
  },
  events: { filters: 'type types' },
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
