const count = { type: 'integer', minimum: 0 } as const

function rows(properties: Readonly<Record<string, object>>): object {
  return { type: 'array', items: { type: 'object', required: Object.keys(properties), additionalProperties: false, properties } }
}

/** The answer about visits, as a JSON Schema. */
export const REPORT = {
  type: 'object',
  required: ['data'],
  additionalProperties: false,
  properties: {
    data: {
      type: 'object',
      required: ['days', 'pages', 'referrers'],
      additionalProperties: false,
      properties: {
        days: rows({ date: { type: 'string', format: 'date' }, views: count, visitors: count }),
        pages: rows({ path: { type: 'string' }, views: count, visitors: count }),
        referrers: rows({ host: { type: 'string' }, views: count }),
      },
    },
  },
} as const
