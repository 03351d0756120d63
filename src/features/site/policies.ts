/**
 * The content security policy of pages. Content from anyone is cleaned, so nothing inline is needed; the theme's own files are.
 */
export const POLICY =
  "default-src 'none'; img-src * data:; media-src *; style-src 'self'; script-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'"
/** For pages whose type says `html: trusted`: what their authors embed is let in. */
export const TRUSTED_POLICY =
  "default-src 'self' https:; img-src * data:; media-src *; style-src 'self' https: 'unsafe-inline'; script-src 'self' https: 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'"
