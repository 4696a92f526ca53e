% queens(+N, -Count): in how many ways N queens can stand on an N by N board, none on the line of another.

queens(N, Count) :-
    numlist(1, N, Columns),
    findall(x, place(Columns, [], _), All),
    length(All, Count).

place([], Placed, Placed).
place(Columns, Placed, Solution) :-
    select(Column, Columns, Rest),
    safe(Placed, Column, 1),
    place(Rest, [Column|Placed], Solution).

safe([], _, _).
safe([Other|More], Column, Distance) :-
    Other =\= Column + Distance,
    Other =\= Column - Distance,
    Next is Distance + 1,
    safe(More, Column, Next).
