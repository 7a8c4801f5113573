const LINE = 'a long line of code; '.repeat(12).trim()
/** Of everything a little, of some things too much. */
export const MARKDOWN = `# Findings

Some **bold**, some \`code\`, a [link](https://example.com/x) and ![a picture](https://pictures.example/track.png).

| City | Sun |
|---|---:|
| Bern | 7 h |

| ${'Column '.repeat(3)} | ${'wide'.repeat(20)} | ${'More '.repeat(9)} |
|---|---|---|
| ${'x'.repeat(300)} | ${'cell '.repeat(9)} | last |

\`\`\`python
print("hello")
\`\`\`

\`\`\`
${LINE}
\`\`\`

${'word'.repeat(200)}

1. one
2. two
   - [x] nested

<img src=x onerror=alert(1)></script> [bad](javascript:alert(1)) &amp; done
`
