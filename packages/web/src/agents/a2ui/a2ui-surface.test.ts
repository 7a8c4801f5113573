import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { A2uiSurface } from './a2ui-surface.tsx'

test.each(['Text', 'TextField', 'ChoicePicker'])('many long texts of %s are not all shown', (component) => {
  const said = { path: 'said' }
  const components = [
    { id: 'root', component: 'List', children: { componentId: 'one', path: '/list' } },
    { id: 'one', component, text: said, label: said, options: [{ label: said, value: 'x' }] },
  ]
  const surface = {
    id: 's',
    components: new Map(components.map((one) => [one.id, one])),
    data: { list: Array.from({ length: 1_999 }, () => ({ said: 'word '.repeat(9_600) })) },
  }
  const onWrite = () => undefined
  const html = renderToStaticMarkup(createElement(A2uiSurface, { surface, onWrite, onAction: undefined }))
  expect(html).toContain('…')
  expect(html.length).toBeLessThan(1_000_000)
})
