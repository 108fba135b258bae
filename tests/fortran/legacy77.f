C     A Fortran 77 program: no module, no interface, fixed form. It
C     calls CELLLIST and SCELLLIST of the library and compares with a
C     double loop.
      PROGRAM LEG77
      INTEGER MAXN, MAXP
      PARAMETER (MAXN = 150, MAXP = 3000)
      DOUBLE PRECISION X(3,MAXN), C
      REAL S(3,MAXN), SC
      INTEGER PI(MAXP), PJ(MAXP), NP, N, NBAD
      COMMON /LISTS/ PI, PJ
      NBAD = 0
      N = 100
      C = 0.3D0
      SC = 0.3
      CALL FILL(X, S, MAXN)

      NP = -1
      CALL CELLLIST(3, N, 27, X, C, MAXP, NP, PI, PJ)
      CALL VERDCT('CELLLIST X', X, N, C, NP, NBAD)
      NP = -1
      CALL CELLLIST(3, N, 27, X(1,1), C, MAXP, NP, PI(1), PJ(1))
      CALL VERDCT('CELLLIST X(1,1)', X, N, C, NP, NBAD)
      NP = -1
      CALL SCELLLIST(3, N, 27, S(1,1), SC, MAXP, NP, PI, PJ)
      CALL SVERD('SCELLLIST S(1,1)', S, N, SC, NP, NBAD)
C     from the tenth point on
      NP = -1
      CALL CELLLIST(3, N - 9, 27, X(1,10), C, MAXP, NP, PI, PJ)
      CALL VERDCT('CELLLIST X(1,10)', X(1,10), N - 9, C, NP, NBAD)
C     a list too short: the need, and nothing written
      PI(1) = -7
      PJ(1) = -7
      CALL CELLLIST(3, N - 9, 27, X(1,10), C, 1, NP, PI, PJ)
      IF (NP .LT. 2 .OR. PI(1) .NE. -7 .OR. PJ(1) .NE. -7) THEN
         NBAD = NBAD + 1
         WRITE (*,*) 'FAILED: CELLLIST, CAPACITY, NP = ', NP
      END IF
C     a refusal: minus the status, 4 is a bad cutoff
      CALL CELLLIST(3, N, 27, X, -C, MAXP, NP, PI, PJ)
      IF (NP .NE. -4) THEN
         NBAD = NBAD + 1
         WRITE (*,*) 'FAILED: CELLLIST, CUTOFF, NP = ', NP
      END IF
      IF (NBAD .NE. 0) STOP 1
      WRITE (*,*) 'legacy77: all checks passed'
      END

      SUBROUTINE FILL(X, S, N)
      INTEGER N, I, K, SEED
      DOUBLE PRECISION X(3,N)
      REAL S(3,N)
      SEED = 12345
      DO 20 I = 1, N
         DO 10 K = 1, 3
            SEED = MOD(SEED*205 + 29573, 139968)
            X(K,I) = SEED/139968.0D0
            S(K,I) = REAL(X(K,I))
 10      CONTINUE
 20   CONTINUE
      END

      SUBROUTINE VERDCT(WHAT, X, N, C, NP, NBAD)
      CHARACTER*(*) WHAT
      INTEGER MAXP
      PARAMETER (MAXP = 3000)
      INTEGER N, NP, NBAD, PI(MAXP), PJ(MAXP), I, J, K
      DOUBLE PRECISION X(3,N), C, D2
      COMMON /LISTS/ PI, PJ
      K = 0
      DO 20 I = 1, N - 1
         DO 10 J = I + 1, N
            D2 = (X(1,I) - X(1,J))**2 + (X(2,I) - X(2,J))**2
     &           + (X(3,I) - X(3,J))**2
            IF (D2 .LE. C*C) THEN
               K = K + 1
               IF (PI(K) .NE. I .OR. PJ(K) .NE. J) GO TO 30
            END IF
 10      CONTINUE
 20   CONTINUE
      IF (K .EQ. NP .AND. K .GT. 100) RETURN
 30   NBAD = NBAD + 1
      WRITE (*,*) 'FAILED: ', WHAT, ', NP = ', NP, ', K = ', K
      END

      SUBROUTINE SVERD(WHAT, X, N, C, NP, NBAD)
      CHARACTER*(*) WHAT
      INTEGER MAXP
      PARAMETER (MAXP = 3000)
      INTEGER N, NP, NBAD, PI(MAXP), PJ(MAXP), I, J, K
      REAL X(3,N), C, D2
      COMMON /LISTS/ PI, PJ
      K = 0
      DO 20 I = 1, N - 1
         DO 10 J = I + 1, N
            D2 = (X(1,I) - X(1,J))**2 + (X(2,I) - X(2,J))**2
     &           + (X(3,I) - X(3,J))**2
            IF (D2 .LE. C*C) THEN
               K = K + 1
               IF (PI(K) .NE. I .OR. PJ(K) .NE. J) GO TO 30
            END IF
 10      CONTINUE
 20   CONTINUE
      IF (K .EQ. NP .AND. K .GT. 100) RETURN
 30   NBAD = NBAD + 1
      WRITE (*,*) 'FAILED: ', WHAT, ', NP = ', NP, ', K = ', K
      END
