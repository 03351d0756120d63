/** The headings of operations, each with a description. */
export const HEADINGS = {
  Types: 'The kinds of records that the site has: their fields, statuses and taxonomies.',
  Records: 'What the site consists of: posts, pages and whatever else it has types for. Each has fields, a status and a body.',
  Revisions: 'What records said before, what has changed, and the way back. 404 where no history is kept.',
  Search: 'Finds records by words in their text.',
  Taxonomies: 'Categories, tags and other terms that records are ordered by.',
  Media: 'Pictures and other files: what is known of them, and what uses them.',
  Menus: 'The menus of the site: items that lead to addresses or to records, in a tree.',
  Settings: 'Values that the site has once: its tagline, its footer, and what else it declares.',
  Events: 'What happens to content, as it happens.',
  Audit: 'Who did what, and from where.',
  Webhooks: 'Addresses that events are sent to, signed, and what they answered.',
  Tokens: 'API tokens: made, listed and revoked; those of a user do no more than the user may.',
  'Sign-in': 'Access tokens for people: by a code or a link in a mail, by password, or by another provider.',
  Users: 'Accounts of people, and their roles.',
  Teams: 'Users who belong together: owners manage the members.',
  Billing: 'Plans, subscriptions and invoices.',
  Modules: 'Modules that were published here, for other sites to add.',
  Documentation: 'This description.',
  Health: 'Tells whoever watches the server how it is. For `/metrics` alone a token may be needed.',
} as const

/** The name of a heading. */
export type Heading = keyof typeof HEADINGS
