/** Names that no module of others may have: they are parts of Quire, of its addresses, settings and kinds of documents. */
const OWN: ReadonlySet<string> = new Set([
  ...['api', 'site', 'sitemap', 'search', 'taxonomy', 'revisions', 'docs', 'auth', 'admin', 'media', 'menus', 'settings'],
  ...['modules', 'module', 'events', 'webhooks', 'audit', 'teams', 'billing', 'analytics', 'metrics', 'records', 'users'],
  ...['tokens', 'cms', 'core', 'quire', 'quire-cms', 'custom', 'new-events', 'pages', 'posts', 'content', 'openapi', 'setup'],
  ...['login', 'account', 'problems', 'assets', 'healthz', 'readyz', 'types', 'import', 'storage', 'templates', 'key', 'user'],
  ...['token', 'publish', 'marketplace', 'registry', 'forms', 'body', 'host', 'constructor', 'prototype'],
])

/** Returns whether a name is one of Quire's own, or begins as those do. */
export function isOwnName(name: string): boolean {
  return OWN.has(name) || name.startsWith('quire-')
}
