import type { FastifyReply } from 'fastify'
import type { PreviewPage } from '../../resource.ts'

/** Answers with the page of a record that may not be live: in a sandbox, kept by nobody and found by no search. */
export function sendPreview(reply: FastifyReply, page: PreviewPage): FastifyReply {
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `sandbox${page.isTrusted ? ' allow-scripts' : ''}; ${page.policy}`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'x-content-type-options': 'nosniff',
    })
    .send(page.html)
}
