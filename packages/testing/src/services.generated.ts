export interface ServiceVariables {
  readonly stripe: 'STRIPE_API_BASE' | 'STRIPE_API_HOST' | 'STRIPE_API_PORT' | 'STRIPE_API_PROTOCOL' | 'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET';
}
