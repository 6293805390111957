// The tests look inside.
using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("Clashd.Tests")]
